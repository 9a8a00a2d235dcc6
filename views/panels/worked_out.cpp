#include "views/panels/worked_out.h"

#include "views/viewmodels/words.h"

#include <QRegularExpression>

namespace headloom {

QString typeset(const std::string& formula) {
    static const QRegularExpression power(QStringLiteral("\\^(\\d+)"));
    QString text = QString::fromStdString(formula);
    text.replace(QStringLiteral(" x "), QStringLiteral(" × "));
    text.replace(QLatin1Char('-'), QChar(0x2212));
    return text.replace(power, QStringLiteral("<sup>\\1</sup>"));
}

namespace {

/// The numbers of a formula, written as all counts are.
QString grouped(const std::string& numbers) {
    static const QRegularExpression longNumber(QStringLiteral("\\d{4,}"));
    QString text = QString::fromStdString(numbers);
    for (auto found = longNumber.match(text); found.hasMatch();
         found = longNumber.match(text, found.capturedStart() + 1))
        text.replace(found.capturedStart(), found.capturedLength(),
                     countText(found.captured().toLongLong()));
    return text;
}

}  // namespace

QString workedOut(const std::string& formula, const std::string& numbers, std::int64_t value) {
    if (formula == numbers) return QStringLiteral("<b>%1</b>").arg(typeset(formula));
    return QStringLiteral("%1 = %2 = <b>%3</b>")
        .arg(typeset(formula), typeset(grouped(numbers).toStdString()), countText(value));
}

}  // namespace headloom
