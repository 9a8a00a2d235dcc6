#include "views/panels/theory_export.h"

#include "views/panels/theory_numbers.h"
#include "views/panels/theory_paper.h"
#include "views/panels/theory_part.h"
#include "views/panels/theory_shown.h"

#include <QCoreApplication>

namespace headloom {

namespace {

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(ExportText)
};

QByteArray pictureOf(const TheoryPart& part, const Theme& window) {
    const Theme paper(ThemeKind::light);
    const QWidget& inside = *part.widget();
    std::vector<OnPaper> things{wordsOnPaper(part.title(), TextRole::title, paper),
                                wordsOnPaper(part.sentence(), TextRole::small, paper)};
    for (const QWidget* shown : shownIn(inside)) things.push_back(onPaper(*shown, window, paper));
    const QStringList settings = settingsIn(inside);
    if (!settings.isEmpty())
        things.push_back(wordsOnPaper(ExportText::tr("Headloom, Theory. Settings: %1")
                                          .arg(settings.join(QStringLiteral(" · "))),
                                      TextRole::small, paper));
    return paperAsSvg(ExportText::tr("Headloom: %1").arg(part.title()), things, paper);
}

}  // namespace

Exportable exportableOf(const TheoryPart& part, const Theme& window) {
    return {part.title(), part.title(), [&part, &window](ExportFormat format) -> Exportable::Bytes {
                if (format == ExportFormat::svg)
                    return
                        [picture = pictureOf(part, window)] { return Result<QByteArray>(picture); };
                return [numbers = numbersOf(shownIn(*part.widget()))] {
                    return Result<QByteArray>(numbers());
                };
            }};
}

}  // namespace headloom
