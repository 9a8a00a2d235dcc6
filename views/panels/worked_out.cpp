#include "views/panels/worked_out.h"

#include <QRegularExpression>

namespace headloom {

QString typeset(const std::string& formula) {
    static const QRegularExpression power(QStringLiteral("\\^(\\d+)"));
    QString text = QString::fromStdString(formula);
    text.replace(QStringLiteral(" x "), QStringLiteral(" × "));
    text.replace(QLatin1Char('-'), QChar(0x2212));
    return text.replace(power, QStringLiteral("<sup>\\1</sup>"));
}

QString digitsInThrees(std::int64_t value) {
    QString digits = QString::number(value);
    for (auto at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202F));
    return digits;
}

QString workedOut(const std::string& formula, const std::string& numbers, std::int64_t value) {
    if (formula == numbers) return QStringLiteral("<b>%1</b>").arg(typeset(formula));
    return QStringLiteral("%1 = %2 = <b>%3</b>")
        .arg(typeset(formula), typeset(numbers), digitsInThrees(value));
}

}  // namespace headloom
