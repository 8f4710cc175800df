//go:build unix

package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/atomvet/atomvet/passes"
)

// profileVar names the directory that the tool called profiled writes its profiles into.
const profileVar = "BENCH_PROFILE"

// profiled is this program, as a tool that runs the detectors and writes profiles.
const profiled = "profiled"

// runProfiled is the vettool profiled. Unitchecker ends the process when the last analyzer is
// done, so the profiles are written by an analyzer that requires all others.
func runProfiled() {
	suite := passes.Suite()
	dir := os.Getenv(profileVar)
	unit := fmt.Sprint(os.Getpid())
	cpu := create(dir, "cpu-"+unit)
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	last := &analysis.Analyzer{
		Name:     "profile",
		Doc:      "write the profiles of this process",
		Requires: suite,
		Run: func(*analysis.Pass) (any, error) {
			pprof.StopCPUProfile()
			if err := cpu.Close(); err != nil {
				return nil, err
			}
			runtime.GC() // what the profile calls in use is what is live now
			heap := create(dir, "heap-"+unit)
			if err := pprof.Lookup("heap").WriteTo(heap, 0); err != nil {
				return nil, err
			}
			return nil, heap.Close()
		},
	}
	unitchecker.Main(append(suite, last)...)
}

func create(dir, name string) *os.File {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// profile runs the detectors once on packages, and leaves profiles of each process in a
// directory: cpu-PID, and heap-PID with what was allocated and what is live at the end.
// To read them together: go tool pprof -top dir/cpu-*.
func profile(dir, cache, where string, packages []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m, _, release, err := prepare(cache, nothing)
	if err != nil {
		return err
	}
	defer release()
	m.dir, m.packages = where, packages
	if _, err := m.run(nothing); err != nil { // compiles
		return err
	}
	if err := os.Setenv(profileVar, dir); err != nil {
		return err
	}
	_, err = m.run(profiled)
	return err
}
