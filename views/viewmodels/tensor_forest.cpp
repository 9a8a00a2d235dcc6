#include "views/viewmodels/tensor_forest.h"

#include "core/io/architectures/load_report.h"
#include "core/io/tensor_source.h"

#include <QCoreApplication>
#include <QStringList>

#include <string_view>
#include <unordered_map>

namespace headloom {

namespace {

struct Forest {
    Q_DECLARE_TR_FUNCTIONS(TensorForest)
};

constexpr int deepest = 32;  ///< pieces of a name; more than any module nests

QString textOf(std::string_view bytes) {
    return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

QString useText(TensorUse use) {
    switch (use) {
        case TensorUse::used:
            return Forest::tr("used");
        case TensorUse::tied:
            return Forest::tr("tied");
        case TensorUse::ignored:
            return Forest::tr("ignored");
        case TensorUse::unexpected:
            break;
    }
    return Forest::tr("unexpected");
}

/// Grows a forest name by name.
class Planter {
  public:
    explicit Planter(TensorForest& forest) : forest_(forest) {}

    /// Names live as long as the planter.
    void plant(const TensorEntry& entry, int index, const QString& use, const QString& ours) {
        const std::string_view name = entry.name;
        int parent = -1;
        std::size_t begin = 0;
        for (int depth = 1; depth < deepest; ++depth) {
            const std::size_t dot = name.find('.', begin);
            if (dot == std::string_view::npos) break;
            parent = branch(name.substr(0, dot), name.substr(begin, dot - begin), parent);
            begin = dot + 1;
        }
        TensorNode leaf;
        leaf.part = textOf(name.substr(begin));
        leaf.parent = parent;
        leaf.entry = index;
        leaf.tensors = 1;
        leaf.shape = shapeText(entry.shape);
        leaf.type = textOf(entry.typeName);
        leaf.use = use;
        leaf.numbers = entry.count();
        leaf.bytes = entry.bytes;
        leaf.words =
            QStringList{textOf(name), ours, leaf.type, leaf.shape, use}.join(u' ').toLower();
        forest_.ofEntry.push_back(add(std::move(leaf)));
        for (int above = parent; above >= 0; above = at(above).parent) {
            ++at(above).tensors;
            at(above).numbers += entry.count();
            at(above).bytes += entry.bytes;
        }
    }

  private:
    TensorNode& at(int node) { return forest_.nodes[static_cast<std::size_t>(node)]; }

    int add(TensorNode node) {
        const int made = static_cast<int>(forest_.nodes.size());
        std::vector<int>& siblings = node.parent < 0 ? forest_.roots : at(node.parent).children;
        node.row = static_cast<int>(siblings.size());
        siblings.push_back(made);
        forest_.nodes.push_back(std::move(node));
        return made;
    }

    int branch(std::string_view prefix, std::string_view part, int parent) {
        const auto known = branches_.find(prefix);
        if (known != branches_.end()) return known->second;
        TensorNode made;
        made.part = textOf(part);
        made.parent = parent;
        const int node = add(std::move(made));
        branches_.emplace(prefix, node);
        return node;
    }

    TensorForest& forest_;
    std::unordered_map<std::string_view, int> branches_;
};

}  // namespace

QString shapeText(const std::vector<std::int64_t>& shape) {
    QStringList sizes;
    for (const std::int64_t size : shape) sizes << QString::number(size);
    return u'[' + sizes.join(QStringLiteral(", ")) + u']';
}

QString TensorForest::nameOf(int node) const {
    QStringList parts;
    for (int at = node; at >= 0; at = nodes[static_cast<std::size_t>(at)].parent)
        parts.prepend(nodes[static_cast<std::size_t>(at)].part);
    return parts.join(u'.');
}

std::shared_ptr<const TensorForest> forestOf(const TensorSource& source, const LoadReport& report) {
    auto forest = std::make_shared<TensorForest>();
    Planter planter(*forest);
    const bool known = !report.architecture.empty();
    for (std::size_t i = 0; i < source.entries().size(); ++i) {
        const bool fated = known && i < report.tensors.size();
        QStringList ours;
        if (fated)
            for (const std::string& name : report.tensors[i].becomes) ours << textOf(name);
        planter.plant(source.entries()[i], static_cast<int>(i),
                      fated ? useText(report.tensors[i].use) : QString(), ours.join(u' '));
    }
    return forest;
}

}  // namespace headloom
