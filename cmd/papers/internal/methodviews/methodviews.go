// Package methodviews defines an analyzer for method consistency, after C. von
// Praun and T. Gross, Static detection of atomicity violations in object-oriented
// programs (Journal of Object Technology 3, 2004), so that their results can be
// compared on the Go programs. It is for the evaluation alone.
//
// # The idea
//
// View consistency (Artho, Havelund, Biere, High-level data races) asks which
// variables belong together, and takes the largest sets that one critical section
// accesses for the answer. A method of which no part is large has no say: Account
// reads the balance in one section, sets it in another, and all views are of one
// variable. Method consistency gives methods a say. A programmer who makes a method
// thinks of it as one step, so what it accesses belongs together, however many
// sections that takes.
//
// # The rule
//
// The view of a method is the pair of the sets of the shared variables that it
// reads and that it writes, itself or in what it calls. The view of a region is the
// same for a stretch of code under a lock. One view is a part of another if both
// its sets are.
//
// The overlap of a region with a method is what is in both views, reads with reads
// and writes with writes. A method is consistent with a process if the overlaps of
// the regions of the process with it, without the empty ones, form a chain: of any
// two one is a part of the other.
//
// # What is known of it
//
// The abstract of the paper, and what others tell of it: Artho, Havelund and Biere,
// and Dias, Pessanha and Lourenço (Precise detection of atomicity violations, HVC
// 2012), who say that it extends view consistency by views of methods, with reads
// and writes apart, and that it reports more than that is false. The rule above is
// inferred: it is view consistency with views of methods in the place of maximal
// views. It has the outcome that is told of the four examples of the paper: Account
// and Jigsaw are found, UnderReporting is not, as both regions have the same view,
// and OverReporting is reported.
//
// Inferred is also, and made for Go:
//
//   - The method and the process may be two instances of the same code.
//   - A shared variable is a field or a package variable that is written after
//     construction, of whatever object. The elements of a slice, array or map belong
//     to the field with it. What the library does inside of a field is a read.
//   - A region is a critical section as in package trace: from the taking of a lock,
//     any lock, while none is held, until none is held. An operation of sync/atomic
//     outside of that is an access of the method, but no region; so is one without
//     any lock. What a sync.Once runs is in no view.
//   - Methods are functions with a name, but for main, init, tests, and those that
//     only work on objects that nobody else knows yet. A function literal is none:
//     it is what a goroutine runs, and a thread is not meant as one step.
//
// The order of the two regions, and whether one comes after the other at all, does
// not matter to the rule. A report is at the later one of two regions that are no
// chain, in the function in which the two come together, with the methods whose
// views they are parts of.
package methodviews

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira/trace"
	"github.com/atomvet/atomvet/passes/summary"
)

// Analyzer reports violations of method consistency.
var Analyzer = &analysis.Analyzer{
	Name:     "methodviews",
	Doc:      "report regions that take the view of a method apart (method consistency of von Praun and Gross)",
	URL:      "https://pkg.go.dev/github.com/atomvet/atomvet/cmd/papers/internal/methodviews",
	Run:      run,
	Requires: []*analysis.Analyzer{summary.Analyzer},
}

// Category is that of the reports.
const Category = "method-view"

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	fail := func(text string) {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "failure", Message: text})
	}
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("internal error in methodviews: %v\n%s", r, debug.Stack()))
		}
	}()
	d := &detector{pass: pass, pkg: p}
	for _, diag := range d.violations(trace.New(pass, p)) {
		pass.Report(diag)
	}
	for _, text := range p.Failures() {
		fail(text)
	}
	return nil, nil
}
