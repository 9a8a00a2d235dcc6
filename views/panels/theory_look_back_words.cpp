#include "views/panels/theory_look_back_words.h"

#include "views/viewmodels/words.h"

#include <QCoreApplication>

namespace headloom {

namespace {

QString lookBackText(const char* words) {
    return QCoreApplication::translate("TheoryLookBack", words);
}

QString percent(double share) {
    return lookBackText("%1 %").arg(100 * share, 0, 'f', 0);
}

QString number(double value, int digits) {
    return QString::number(value, 'f', digits);
}

}  // namespace

QString offsetVerdict(const OffsetProfile& profile) {
    const OffsetRule rule;
    const auto most = profile.dominant();
    if (!most || profile.mass() < rule.dead) return lookBackText("dead");
    const QString place =
        *most == 0 ? lookBackText("its own token") : lookBackText("%1 back").arg(*most);
    return (profile.carried(rule) ? lookBackText("carries %1: %2") : lookBackText("blend, %1: %2"))
        .arg(place, percent(profile.share(*most)));
}

OffsetBarsContent offsetBars(const LookBackMap& map, int reach, bool isMix) {
    OffsetBarsContent content;
    content.name = isMix ? lookBackText("Mix for %1").arg(map.name) : map.name;
    content.verdict = offsetVerdict(map.profile);
    for (int offset = 0; offset <= reach; ++offset)
        content.weights.push_back(map.profile.weight(offset));
    double further = 0;
    for (int offset = reach + 1; offset < map.profile.offsets(); ++offset)
        further += map.profile.weight(offset);
    content.weights.push_back(further);
    if (const auto carried = map.profile.carried()) content.strong = std::min(*carried, reach + 1);
    return content;
}

QString lookBackFacts(const LookBackColumn& column) {
    return lookBackText("%1 parameters\naccuracy %2 · exact %3")
        .arg(countText(column.parameters), number(column.score.accuracy, 3),
             number(column.score.exact, 3));
}

QString mixWords(const LookBackColumn& column) {
    double sum = 0;
    for (const OffsetMix& mix : column.mixes) sum += mix.share;
    return lookBackText("%1 maps mix to %2 of %3 jobs")
        .arg(column.nMaps)
        .arg(number(sum, 2))
        .arg(column.mixes.size());
}

QString mixTip(const LookBackColumn& column) {
    QString tip = lookBackText(
                      "A mix is the weighted sum of the effective maps that comes nearest to a "
                      "shifted diagonal, fitted on %1 held-out examples; how near:")
                      .arg(TheoryLookBackModel::mixedExamples);
    for (const OffsetMix& mix : column.mixes)
        tip += lookBackText("\n%1 back: %2").arg(mix.offset).arg(number(mix.share, 3));
    return tip + lookBackText(
                     "\nThe sum is never above the number of maps. That bounds the mix and not "
                     "the accuracy, which asks for the largest logit only.");
}

QString lookBackClaim(const LookBackArms& arms) {
    return lookBackText(
               "H ordinary heads have H maps, none of them negative; H interleaved heads up to H² "
               "effective maps, signed, so that fewer heads suffice for %1 jobs. MHA with as many "
               "heads as jobs does them as well, and positions ×P alone, which IHA's virtual "
               "positions bring along, help two heads some of the way. A map carries an offset "
               "where it has more than half of its magnitude there.")
        .arg(arms.reach());
}

}  // namespace headloom
