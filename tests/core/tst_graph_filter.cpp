#include "core/base/rng.h"
#include "core/models/rank_floor.h"
#include "core/tasks/graph_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace headloom;

namespace {

std::vector<double> valuesOf(const Tensor& matrix) {
    const auto values = matrix.values<double>();
    return {values.begin(), values.end()};
}

RankFloor shiftFloor(int order, int nNodes, int dNode, int nMaps, int samples = 1000) {
    return rankFloor(graphMatrix(FilterGraph::shift, nNodes), order, dNode, nMaps, samples);
}

}  // namespace

TEST_CASE("the graphs") {
    using M = std::vector<double>;
    CHECK(valuesOf(graphMatrix(FilterGraph::shift, 3)) == M{0, 0, 1, 1, 0, 0, 0, 1, 0});
    CHECK(valuesOf(graphMatrix(FilterGraph::path, 3)) == M{0, .5, 0, .5, 0, .5, 0, .5, 0});
    CHECK(valuesOf(graphMatrix(FilterGraph::ring, 4)) ==
          M{0, .5, 0, .5, .5, 0, .5, 0, 0, .5, 0, .5, .5, 0, .5, 0});
    const Tensor random = graphMatrix(FilterGraph::random, 12);
    CHECK(valuesOf(random) == valuesOf(graphMatrix(FilterGraph::random, 12)));
    double most = 0, joined = 0;
    for (int n = 0; n < 12; ++n) {
        double row = 0;
        for (int m = 0; m < 12; ++m) {
            CHECK(random.data<double>()[n * 12 + m] == random.data<double>()[m * 12 + n]);
            row += random.data<double>()[n * 12 + m];
            joined += random.data<double>()[n * 12 + m] > 0;
        }
        CHECK(row > 0);  // a tree leaves nobody out
        most = std::max(most, row);
    }
    CHECK(most == doctest::Approx(1));  // a largest row sum of 1 bounds the spectral radius
    CHECK(joined >= 22);                // both ends of 11 edges
}

TEST_CASE("a small world is a ring of four neighbours with shortcuts") {
    const Tensor world = graphMatrix(FilterGraph::smallWorld, 16);
    int joined = 0;
    for (int n = 0; n < 16; ++n) {
        double row = 0;
        for (int m = 0; m < 16; ++m) {
            CHECK(world.data<double>()[n * 16 + m] == world.data<double>()[m * 16 + n]);
            const int apart = std::min((n - m + 16) % 16, (m - n + 16) % 16);
            if (apart == 1 || apart == 2) CHECK(world.data<double>()[n * 16 + m] > 0);
            row += world.data<double>()[n * 16 + m];
            joined += world.data<double>()[n * 16 + m] > 0;
        }
        CHECK(row <= 1 + 1e-12);  // a sum of at most six roundings
    }
    CHECK(joined == 16 * 4 + 2 * 2);  // both ends of two shortcuts
    // too few nodes for a shortcut, and every one is everybody's neighbour
    const Tensor two = graphMatrix(FilterGraph::smallWorld, 2);
    CHECK(valuesOf(two) == std::vector<double>{0, 1, 1, 0});
}

TEST_CASE("a random graph leaves nobody out") {
    for (int nodes = 2; nodes <= 16; ++nodes) {
        CAPTURE(nodes);
        const Tensor graph = graphMatrix(FilterGraph::random, nodes);
        std::vector<bool> reached(static_cast<std::size_t>(nodes), false);
        reached[0] = true;
        for (int round = 0; round < nodes; ++round)
            for (std::size_t n = 0; n < reached.size(); ++n)
                for (std::size_t m = 0; m < reached.size(); ++m)
                    if (reached[m] && graph.data<double>()[n * reached.size() + m] > 0)
                        reached[n] = true;
        CHECK(std::count(reached.begin(), reached.end(), true) == nodes);
    }
}

TEST_CASE("the name of a graph") {
    CHECK(filterGraphFrom("ring") == FilterGraph::ring);
    CHECK(filterGraphFrom("cube").error().sentence() ==
          "graph: \"cube\" is not a graph; use one of: shift, path, ring, random, small-world.");
}

TEST_CASE("targets are the powers of the graph, by hand") {
    // three nodes, one sample, one number a node
    const Tensor x = Tensor::of<float>({3, 1, 1}, {1, 2, 4});
    const auto targetOf = [&](FilterGraph graph) {
        const Tensor target = GraphFilter(graph, 3, 3, 1).target(x);
        CHECK(target.shape() == Shape{3, 1, 3});
        const auto values = target.values<float>();
        return std::vector<float>(values.begin(), values.end());
    };
    CHECK(targetOf(FilterGraph::shift) == std::vector<float>{1, 4, 2, 2, 1, 4, 4, 2, 1});
    // A x = (1, 2.5, 1), A A x = (1.25, 1, 1.25)
    CHECK(targetOf(FilterGraph::path) == std::vector<float>{1, 1, 1.25f, 2, 2.5f, 1, 4, 1, 1.25f});
}

TEST_CASE("samples do not depend on the batch, and splits and seeds differ") {
    const GraphFilter task(FilterGraph::shift, 2, 3, 2);
    const FilterBatch five = task.batch(Split::training, 1, 0, 5),
                      two = task.batch(Split::training, 1, 3, 2);
    CHECK(five.target.shape() == Shape{3, 5, 4});
    const auto at = [](const Tensor& x, int n, int b, int c) {
        return x.data<float>()[(n * x.size(1) + b) * x.size(2) + c];
    };
    for (int n = 0; n < 3; ++n)
        for (int b = 0; b < 2; ++b) {
            for (int c = 0; c < 2; ++c) CHECK(at(two.x, n, b, c) == at(five.x, n, b + 3, c));
            // [X, shifted X], each of two numbers
            CHECK(at(two.target, n, b, 1) == at(two.x, n, b, 1));
            CHECK(at(two.target, n, b, 3) == at(two.x, (n + 2) % 3, b, 1));
        }
    CHECK(at(task.batch(Split::heldOut, 1, 0, 1).x, 0, 0, 0) != at(five.x, 0, 0, 0));
    CHECK(at(task.batch(Split::training, 2, 0, 1).x, 0, 0, 0) != at(five.x, 0, 0, 0));
}

// Singular values in float64: a share is exact to some 1e-15.
TEST_CASE("the floor of a shift is (k - H) / k") {
    CHECK(shiftFloor(4, 8, 2, 2).expected == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(shiftFloor(9, 12, 1, 3).expected == doctest::Approx(6.0 / 9).epsilon(1e-12));
    CHECK(shiftFloor(16, 16, 1, 4).expected == doctest::Approx(0.75).epsilon(1e-12));
    CHECK(shiftFloor(4, 8, 2, 1).expected == doctest::Approx(0.75).epsilon(1e-12));
    for (const int heads : {4, 8}) {
        CHECK(shiftFloor(4, 8, 2, heads).expected == 0);
        CHECK(shiftFloor(4, 8, 2, heads).deviation == 0);
    }
    // the 4th power of a shift of 4 is the identity again: 8 filters are 4, twice
    CHECK(shiftFloor(8, 4, 1, 2).expected == doctest::Approx(0.5).epsilon(1e-12));
}

TEST_CASE("the floor of a path of two nodes, by hand") {
    // A = [[0, 1], [1, 0]]; I, A, A^2 = I. Columns: I twice (norm^2 2) and A: squares 4 and 2.
    const Tensor path = graphMatrix(FilterGraph::path, 2);
    const RankFloor one = rankFloor(path, 3, 1, 1, 1);
    CHECK(one.expected == doctest::Approx(2.0 / 6).epsilon(1e-12));
    // What is lost is A x, as large as x, and the target has 3 |x|^2: the ratio never varies.
    CHECK(one.deviation < 1e-7);  // the root of a rounding error of 1e-15
    CHECK(rankFloor(path, 3, 1, 2, 1).expected == 0);
}

// Two shifts, one map: x cos t + Sx sin t is kept, and the error is |x sin t - Sx cos t|^2 =
// |x|^2 - 2 sin t cos t <x, Sx> of 2 |x|^2. Its variance is 2 sin^2 cos^2 tr((S + S^T)^2) d and
// tr = 2N, the mean of sin^2 cos^2 is 1/8, the target's size 2 N d: 1 / (8 n N d).
TEST_CASE("the deviation of the floor, by hand") {
    for (const int d : {1, 2}) {
        CHECK(shiftFloor(2, 8, d, 1, 1000).deviation ==
              doctest::Approx(std::sqrt(1.0 / (8 * 1000 * 8 * d))).epsilon(1e-9));
    }
}

// The same with every singular value equal but more dimensions: measured on drawn best
// approximations and samples. The mean square of 4,000 draws is within 1/sqrt(2000) = 2.2 % of
// what it estimates (a little more here: the error is not quite normal); 10 % is four times that.
TEST_CASE("the deviation of the floor, by drawing") {
    constexpr int order = 4, nodes = 6, kept = 2, samples = 20, draws = 4000;
    Rng rng(5);
    double sumOfSquares = 0;
    for (int draw = 0; draw < draws; ++draw) {
        // an orthonormal basis of the two lost directions in the space of the four filters
        double lost[order - kept][order];
        for (int i = 0; i < order - kept; ++i) {
            for (double& value : lost[i]) value = rng.normal();
            for (int j = 0; j <= i; ++j) {
                double along = 0;
                for (int c = 0; c < order; ++c) along += lost[i][c] * lost[j][c];
                for (int c = 0; c < order; ++c)
                    lost[i][c] =
                        j < i ? lost[i][c] - along * lost[j][c] : lost[i][c] / std::sqrt(along);
            }
        }
        double error = 0, size = 0;
        for (int s = 0; s < samples; ++s) {
            double x[nodes];
            for (double& value : x) value = rng.normal();
            for (int n = 0; n < nodes; ++n) {
                for (const auto& direction : lost) {
                    double sum = 0;
                    for (int c = 0; c < order; ++c)
                        sum += direction[c] * x[(n - c + nodes) % nodes];
                    error += sum * sum;
                }
                size += order * x[n] * x[n];
            }
        }
        sumOfSquares += std::pow(error / size - 0.5, 2);
    }
    const double drawn = std::sqrt(sumOfSquares / draws);
    CHECK(std::abs(shiftFloor(order, nodes, 1, kept, samples).deviation / drawn - 1) < 0.1);
}
