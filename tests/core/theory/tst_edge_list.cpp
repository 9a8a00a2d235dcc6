#include "core/theory/edge_list.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace headloom;

namespace {

std::vector<double> matrixOf(const char* list, int nodes = 0) {
    const auto graph = graphFromEdges(list, "list", nodes);
    REQUIRE_MESSAGE(graph, list);
    const auto values = graph->values<double>();
    return {values.begin(), values.end()};
}

std::string refusal(const std::string& list, int nodes = 0) {
    const auto graph = graphFromEdges(list, "list", nodes);
    return graph ? std::string("accepted") : graph.error().sentence();
}

}  // namespace

TEST_CASE("edges, scaled by the largest row") {
    const std::vector<double> path = {0, .5, 0, .5, 0, .5, 0, .5, 0};
    CHECK(matrixOf("0,1\n1,2\n") == path);
    CHECK(matrixOf("from,to\r\n0 , 1\r\n\r\n# both ways\r\n1;0\r\n\"2\",\"1\"") == path);
    CHECK(matrixOf("0,1,2\n1,2,-2") == std::vector<double>{0, .5, 0, .5, 0, -.5, 0, -.5, 0});
    CHECK(matrixOf("0,0") == std::vector<double>{1, 0, 0, 0});  // a loop, and the least of nodes
    CHECK(matrixOf("0,1", 3) == std::vector<double>{0, 1, 0, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("what is no list of edges is one sentence") {
    CHECK(refusal("") ==
          "list: holds no edge; write one edge a line: two node numbers with a comma between.");
    CHECK(refusal("a,b\n").find("holds no edge") != std::string::npos);
    CHECK(refusal("0,1\n1,b\n") ==
          "list, line 2: \"b\" is no node number; write two node numbers, and a weight if edges "
          "have one: 0,1 or 0,1,0.5.");
    CHECK(refusal("0,1,2,3").starts_with("list, line 1: 4 columns are no edge; "));
    CHECK(refusal("7").starts_with("list, line 1: 1 column is no edge; "));
    CHECK(refusal("0,-1") == "list, line 1: node -1 cannot be had; number nodes from 0 to 127.");
    CHECK(refusal("0,128").starts_with("list, line 1: node 128 cannot be had"));
    CHECK(refusal("0,99999999999999999999").find("is no node number") != std::string::npos);
    for (const char* weight : {"0", "nan", "inf", "1e999", "x", ""})
        CHECK(refusal(std::string("0,1,") + weight).find("is no weight; use a finite number") !=
              std::string::npos);
    CHECK(refusal("0,1,1\n1,0,2\n").find("line 2: the edge 1-0 has another weight") !=
          std::string::npos);
    CHECK(refusal("0,9", 5) == "nodes N: 5 are too few: list names node 9; use at least 10.");
    CHECK(refusal(std::string("\0\xff\x80,\n,,,\n", 8)) != "accepted");
}

TEST_CASE("a file that is not there, or is a folder") {
    CHECK(graphFromFile("/nowhere/edges.csv").error().kind == Error::Kind::notFound);
    CHECK(graphFromFile(HEADLOOM_TEST_DATA).error().kind == Error::Kind::notFound);
}
