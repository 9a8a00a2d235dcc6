#pragma once

#include "views/viewmodels/checkpoint_doctor.h"
#include "views/viewmodels/checkpoint_shown.h"
#include "views/viewmodels/checkpoint_weights.h"
#include "views/viewmodels/head_view_model.h"
#include "views/viewmodels/iha_beside.h"
#include "views/viewmodels/tensor_tree.h"
#include "views/viewmodels/tensor_view_model.h"

#include <QStringList>

namespace headloom {

class ExploreSession;

/// Something that can be looked at: a file, or a model in memory.
struct CheckpointChoice {
    QString title, path;
    std::shared_ptr<const Model> model;  ///< where there is no path
    QString alphaOrder = {};             ///< ModelChoice::alphaOrder
};

/// The Checkpoint page as data. Files are listed, models loaded and written on worker threads.
class CheckpointViewModel : public QObject {
    Q_OBJECT
  public:
    explicit CheckpointViewModel(ExploreSession& session, QObject* parent = nullptr);
    ~CheckpointViewModel() override;

    // ---- what is shown --------------------------------------------------------------------------
    /// `alphaOrder`: what the user says of its alphas, where the file does not.
    void open(const QString& path, const QString& alphaOrder = {});
    void show(const CheckpointChoice& choice);
    /// What stands in a column, where nothing is shown or on its way yet.
    void showColumn();
    /// The models in the columns, and the files opened here; the newest of these last.
    std::vector<CheckpointChoice> choices() const;
    /// Null before the first.
    const CheckpointShown* shown() const { return shown_.get(); }
    bool isShown(const CheckpointChoice& choice) const;
    bool opening() const { return opener_.busy(); }
    TensorTree& tree() { return tree_; }
    TensorFilter& filter() { return filter_; }
    TensorViewModel& tensor() { return tensor_; }
    HeadViewModel& head() { return head_; }
    CheckpointDoctor& doctor() { return doctor_; }

    // ---- the model ------------------------------------------------------------------------------
    bool runs() const { return shown_ && shown_->runs(); }
    /// Null until it is loaded. Small ones are loaded at once.
    std::shared_ptr<const Model> model() const { return model_; }
    CheckpointWeights& weights() { return weights_; }
    void loadModel();

    // ---- what can be done with it; each says how it went with `told` or `failed` ----------------
    /// Lets the doctor look at all of the loaded model, whatever that takes.
    void examine();
    /// Another program's logits against the loaded model's.
    void compareWithLogits(const QString& path);
    /// Writes the loaded model as a model file of this program.
    void exportModel(const QString& path);
    bool writing() const { return writer_.busy(); }
    /// Lets an IHA that gives the same logits stand beside this model in the columns.
    void makeIha(int nPseudo);
    /// Why that cannot be; empty: it can.
    QString ihaRefusal() const;
    void openInColumn(Side side);

    // ---- what only the user can say: the order of the alphas' axes
    // -------------------------------
    /// What may be answered, "source-target"; empty: the file says it, or has none.
    QStringList alphaOrders() const;
    void setAlphaOrder(const QString& order);
    /// Lets the model stand in both columns, read in either way.
    void openBothOrders();

  signals:
    void shownChanged();
    void choicesChanged();
    void openingChanged();
    /// The model, its loading or the report.
    void modelChanged();
    /// Two models to compare go into the columns.
    void pairOpened();
    void told(const QString& sentence);
    void failed(const QString& sentence);

  private:
    void adopt(std::shared_ptr<const CheckpointShown> shown, std::shared_ptr<const Model> model);
    void takeModel(std::shared_ptr<const Model> model);
    /// What is shown may come to stand in a column, and is not loaded twice.
    void takeFromColumn();
    /// The model of the column that shows this checkpoint; null where none does.
    std::shared_ptr<const Model> inColumn(Side side) const;

    ExploreSession& session_;
    std::shared_ptr<const CheckpointShown> shown_;
    std::shared_ptr<const Model> model_;
    std::vector<CheckpointChoice> opened_;
    QStringList alphaOrders_;  ///< of the file that was asked about last
    TensorTree tree_;
    TensorFilter filter_;
    TensorViewModel tensor_;
    HeadViewModel head_;
    CheckpointDoctor doctor_;
    CheckpointWeights weights_;
    IhaBeside beside_;
    LatestJob opener_, writer_;
};

}  // namespace headloom
