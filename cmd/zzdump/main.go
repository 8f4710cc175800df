package main

import (
	"github.com/atomvet/atomvet/passes/summary"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() { unitchecker.Main(summary.Analyzer) }
