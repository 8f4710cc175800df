// Package repro writes a test that makes a finding happen.
//
// The test makes an object as a constructor does, brings it into a start state by calls of its own
// methods, runs the function of the finding, and runs a rival where that comes to its act. What the
// two leave and return is compared with what they do one after the other, in both orders, on objects
// made in the same way: an outcome that neither has is one that no serial order explains.
//
// Values for parameters are made from their types, and start states are tried, short ones first, until
// the outcome is one that no serial order has. Where that does not succeed, what is missing is said.
// Objects that need a network or files are beyond it; for those a test can be written by hand, which
// then gets the same switch: see [Kept].
package repro

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
)

// A Result says what the trials of a finding have shown.
type Result struct {
	// Test is the source of a test that shows the finding, and File where it belongs. It is nil if
	// no rival has interfered.
	Test []byte
	File string
	// Trial is the best of the trials, and Tried the number of those that ran.
	Trial atomvetrt.Trial
	Tried int
	// Missing says what was missing if the trial shows nothing.
	Missing string
}

// fileName is the name of the test in the directory of its package.
const fileName = "atomvet_repro_test.go"

// Run looks for a test of a finding.
func Run(ctx context.Context, p *program.Program, f *report.Finding, pause time.Duration, r *testrun.Runner) (*Result, error) {
	s, err := newSearch(p, f)
	if err != nil {
		return nil, err
	}
	all, err := s.candidates()
	if err != nil {
		return &Result{Missing: err.Error()}, nil
	}
	text, err := s.test(p.Module, all, "")
	if err != nil {
		return nil, err
	}
	e := &experiment{program: p, finding: f, file: s.target(), text: text, pause: pause, runner: r}
	t, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{File: e.file, Tried: t.ran, Missing: t.missing(s)}
	if t.best != nil {
		result.Trial = t.best.Trial
		result.Test, err = s.test(p.Module, all[t.best.number:t.best.number+1], comment(f, t.best.Trial))
	}
	return result, err
}

// Kept runs a test that was written by hand, or by Run, with the switch of a finding. The test has to
// have the name TestAtomvet, and calls atomvetrt.Try.
func Kept(ctx context.Context, p *program.Program, f *report.Finding, test []byte, pause time.Duration, r *testrun.Runner) (*Result, error) {
	s, err := newSearch(p, f)
	if err != nil {
		return nil, err
	}
	e := &experiment{program: p, finding: f, file: s.target(), text: withoutConstraint(test), pause: pause, runner: r}
	t, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{Test: test, File: e.file, Tried: t.ran, Missing: t.missing(s)}
	if t.ran == 0 && t.crash == "" {
		return nil, errors.New("the test makes no trial: TestAtomvet has to call atomvetrt.Try")
	}
	if t.best != nil {
		result.Trial = t.best.Trial
	}
	return result, nil
}

// target returns the name of the test file.
func (s *search) target() string { return filepath.Join(filepath.Dir(s.file.Name), fileName) }
