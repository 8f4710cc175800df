package stalevalue

import "golang.org/x/tools/go/analysis"

// Analyzer is a placeholder until the detector lands.
var Analyzer = &analysis.Analyzer{
	Name: "stalevalue",
	Doc:  "report values of shared state that are used after their lock was released",
	Run:  func(*analysis.Pass) (any, error) { return nil, nil },
}
