//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/atomvet/atomvet/passes"
)

// profileVar names the directory that the tool called profiled writes its profiles into.
const profileVar = "BENCH_PROFILE"

// profiled is this program, as a tool that runs the detectors and writes profiles.
const profiled = "profiled"

// runProfiled is the vettool profiled. Unitchecker ends the process when the last analyzer is
// done, so the profiles are written by an analyzer that requires all others. It does not run in a
// package that is only a dependency.
func runProfiled() {
	suite := passes.Suite()
	last := &analysis.Analyzer{
		Name:     "profile",
		Doc:      "write the profiles of this process",
		Requires: suite,
		Run:      func(*analysis.Pass) (any, error) { return nil, nil },
	}
	if isNamed(os.Args[len(os.Args)-1]) {
		last.Run = startProfile(os.Getenv(profileVar))
	}
	unitchecker.Main(append(suite, last)...)
}

// isNamed reports whether a configuration is that of a package that was named.
func isNamed(config string) bool {
	if !strings.HasSuffix(config, ".cfg") {
		return false
	}
	data, err := os.ReadFile(config)
	if err != nil {
		log.Fatal(err)
	}
	var cfg unitchecker.Config
	if err := json.Unmarshal(data, &cfg); err != nil {
		log.Fatal(err)
	}
	return !cfg.VetxOnly
}

// startProfile starts a CPU profile, and returns what ends it and writes both.
func startProfile(dir string) func(*analysis.Pass) (any, error) {
	unit := fmt.Sprint(os.Getpid())
	cpu := create(dir, "cpu-"+unit)
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	return func(*analysis.Pass) (any, error) {
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
	}
}

func create(dir, name string) *os.File {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// profile runs the detectors once on packages, and leaves profiles of the process of each package
// in a directory, but for dependencies that are not named: cpu-PID, and heap-PID with what was allocated and what is live at the end.
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
