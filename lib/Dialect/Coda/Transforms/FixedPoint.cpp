//===- FixedPoint.cpp - Patterns until none matches -----------------------===//

#include "FixedPoint.h"

using namespace mlir;

LogicalResult coda::applyToFixedPoint(Operation *root,
                                      RewritePatternSet &&patterns,
                                      const GreedyRewriteConfig &config) {
  if (succeeded(applyPatternsGreedily(root, std::move(patterns), config)))
    return success();
  return root->emitOpError()
         << "still changes after " << config.getMaxIterations()
         << " rounds of simplification";
}
