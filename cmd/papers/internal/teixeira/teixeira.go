// Package teixeira defines an analyzer that looks for the anomalies of Teixeira,
// Lourenço, Farchi, Dias and Sousa, Detection of Transactional Memory Anomalies
// using Static Analysis (PADTAD 2010), so that the column of their tool can be
// computed on the Go programs. It is for the evaluation alone.
//
// # The idea
//
// Two transactions that a thread executes one after the other may have been
// meant as one. The tool builds, for each thread, the tree of the traces that it
// may execute, with all but the transactions left out, and compares every pair of
// consecutive transactions A1; A2 with the transactions of all threads:
//
//	RwR  A1 reads a, A2 reads b,  a threat writes a   (a ≠ b)
//	WrW  A1 writes a, A2 writes b, a threat reads a   (a ≠ b)
//	RwW  A1 reads a, A2 writes a,  a threat writes a
//
// # What is known of the rules
//
// The abstract of the paper, and the output of the tool for eleven programs, which
// is kept with the MoTH suite (trxsys/gluon, test/moth). The rules are inferred from
// the access sets and the anomalies printed there, which they reproduce:
//
//   - A pair is adjacent in a trace: no other transaction is between the two. What
//     is done outside of transactions does not count.
//   - Traces branch at an if outside of a transaction. Within one, the accesses of
//     all branches are united. A loop is gone through once: Buffer has next; add
//     in a loop, and no pair add; next.
//   - Any transaction of any thread is a threat, of another instance of the same
//     thread too. It needs no access to b.
//   - A field is known by its class and name, not by its object: the getters of a
//     local copy in Coord03 count as those of the shared object.
//   - Reading a reference on the way is a read of that field: shared.field reads
//     shared. The elements of an array belong to the field with the array.
//   - Calls of the library neither write, nor are they transactions.
//
// The abstract speaks of four anomalies. The fourth was not found. The tool
// misread n++ as only a read, in one version; that is not reproduced.
//
// # What it means in Go
//
// A transaction is a critical section as in package trace: from the taking of a
// lock, any lock, while none is held, until none is held. An operation of
// sync/atomic is an access if it is in a critical section, and else nothing. Of a
// field that is never written reads count only if it is a pointer, slice or map:
// they are on the way to something. The length of a slice is no field of its own,
// as that of an array is in Java, and an object that nobody else knows yet has no
// fields that count. Setting an element, delete and clear write the map or slice
// that they work on: in Go they are no calls of the library.
//
// A report is for one pair of places, pattern and fields, at the second place, in
// the function in which the two come together. The tool counts one for each
// threat; here the threats are listed in the message.
package teixeira

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira/trace"
	"github.com/atomvet/atomvet/passes/summary"
)

// Analyzer reports the anomalies.
var Analyzer = &analysis.Analyzer{
	Name:     "teixeira",
	Doc:      "report consecutive critical sections that match the anomaly patterns of Teixeira et al.",
	URL:      "https://pkg.go.dev/github.com/atomvet/atomvet/cmd/papers/internal/teixeira",
	Run:      run,
	Requires: []*analysis.Analyzer{summary.Analyzer},
}

// The anomaly patterns, which are the categories of the reports.
const (
	RwR = "RwR"
	WrW = "WrW"
	RwW = "RwW"
)

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	fail := func(text string) {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "failure", Message: text})
	}
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("internal error in teixeira: %v\n%s", r, debug.Stack()))
		}
	}()
	traces := trace.New(pass, p)
	d := &detector{pass, p, traces, traces.Atoms()}
	for _, diag := range d.anomalies() {
		pass.Report(diag)
	}
	for _, text := range p.Failures() {
		fail(text)
	}
	return nil, nil
}
