#pragma once

#include <QObject>
#include <QString>

#include <vector>

namespace headloom {

class ExploreViewModel;

/// Finding text in the prompt and the chain. A match may run over several tokens; its tokens count
/// together. The one that is found is lit in every map, as if it were pointed at.
class TokenSearch : public QObject {
    Q_OBJECT
  public:
    explicit TokenSearch(ExploreViewModel& model, QObject* parent = nullptr);

    /// Tokens of one place, both included.
    struct Match {
        int first = 0, last = 0;
        friend bool operator==(const Match&, const Match&) = default;
    };
    const QString& query() const { return query_; }
    /// Case does not count (of Latin letters). "#403" finds tokens by their id. Empty: nothing.
    void setQuery(const QString& query);
    const std::vector<Match>& matches() const { return matches_; }
    /// The match that is lit; -1: none.
    int current() const { return current_; }
    /// To the next (1) or previous (-1) match, and around at the end.
    void step(int by);
    bool holds(int first, int last) const;
    /// "2 of 7"; what there is to do, where nothing is searched for.
    QString text() const;

  signals:
    void changed();

  private:
    void search();

    ExploreViewModel& model_;
    QString query_;
    std::vector<Match> matches_;
    int current_ = -1;
};

}  // namespace headloom
