#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace headloom {

class MainWindow;

/// Every action of the menus by its name: typing narrows the list, Return does what is chosen. It
/// is at the same time where shortcuts are learned.
class ActionPalette : public QDialog {
    Q_OBJECT
  public:
    explicit ActionPalette(MainWindow& window);

    /// Lists the actions whose place and name hold every word, in any order.
    void search(const QString& words);
    QListWidget& list() { return *list_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Entry {
        QAction* action = nullptr;
        QString name;  ///< "Edit › Undo"
    };
    void collect(const QString& place, const QList<QAction*>& actions);
    void run();

    QList<Entry> entries_;
    QList<QAction*> listed_;
    QLineEdit* field_;
    QListWidget* list_;
};

}  // namespace headloom
