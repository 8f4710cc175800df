//go:build unix

// Bench measures what atomvet costs as a vettool, against a vettool that only builds SSA
// form, which every such analysis has to do, and against the analyzers of go vet.
//
//	go run ./cmd/bench [-n runs] [-cache dir] [-tool file] [-C dir] [packages]
//	go run ./cmd/bench -growth 1000,2000,4000 [-family name]
//	go run ./cmd/bench -profile dir [-cache dir] [-C dir] [packages]
//
// Times depend on the machine, so the results to look at are ratios: the tools take turns on
// the same packages (by default the standard library), and the table shows medians, with
// the smallest and the largest ratio of a turn. The CPU time of the tool is the sum over its
// processes, memory the peak of the largest one, and facts are what the tool leaves for the
// analysis of dependents. The CPU time of a warm run is that of the go command too, which finds
// all results in the build cache.
//
// Each cold run does all of its analysis afresh, but what the compiler has to do for it is in
// the build cache before the first one. The go command asks a tool for its version to tell
// whether a result in the cache is still good, so a new version for each run is as good as an
// empty cache that has only compiled packages in it.
//
// With -growth the packages are generated: programs of some number of lines in several
// families, each of which grows in one dimension. The table has the CPU time of the unit of
// the program, and the exponents of the power laws that fit the times of both tools.
//
// With -profile nothing is compared: the detectors run once, and the process of each package that is
// named leaves a CPU and a heap profile in the directory, for go tool pprof.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	playTool()

	runs := flag.Int("n", 3, "number of runs of each tool")
	cache := flag.String("cache", "", "build cache to use (default a temporary one, which takes minutes to fill)")
	tool := flag.String("tool", "", "vettool to measure (default atomvet, built from this module)")
	dir := flag.String("C", "", "directory of the packages")
	growth := flag.String("growth", "", "measure programs with these numbers of lines, separated by commas")
	family := flag.String("family", "", "with -growth: measure this family only")
	profiles := flag.String("profile", "", "write profiles of all processes into this directory")
	flag.Parse()
	if *growth != "" {
		if err := grow(*runs, *cache, *tool, *growth, *family); err != nil {
			log.Fatal(err)
		}
		return
	}
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"std"}
	}
	if *profiles != "" {
		if err := profile(*profiles, *cache, *dir, packages); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := compare(*runs, *cache, *tool, *dir, packages); err != nil {
		log.Fatal(err)
	}
}

// prepare returns a measurement, and the tool that it is about. release removes what it needs.
func prepare(cache, tool string) (m *measurement, own string, release func(), err error) {
	temp, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, "", nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temp)
		}
	}()
	if cache == "" {
		cache = filepath.Join(temp, "cache")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return nil, "", nil, err
	}
	if tool == "" {
		tool = filepath.Join(temp, "atomvet")
		build := exec.Command("go", "build", "-o", tool, "github.com/atomvet/atomvet/cmd/atomvet")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return nil, "", nil, fmt.Errorf("building atomvet: %v", err)
		}
	}
	if tool, err = filepath.Abs(tool); err != nil {
		return nil, "", nil, err
	}
	return &measurement{cache: cache, temp: temp}, tool, func() { os.RemoveAll(temp) }, nil
}

// compare measures the tools on packages.
func compare(runs int, cache, tool, dir string, packages []string) error {
	m, own, release, err := prepare(cache, tool)
	if err != nil {
		return err
	}
	defer release()
	m.dir, m.packages = dir, packages
	if _, err := m.run(nothing); err != nil { // compiles
		return err
	}
	tools := []string{onlySSA, builtin, own}
	costs := make([][]cost, len(tools))
	for range runs {
		for i, t := range tools {
			c, err := m.run(t)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], c)
		}
	}
	for i, name := range []string{"SSA only", "go vet"} {
		printTable(os.Stdout, name, costs[i], costs[len(costs)-1])
	}
	return nil
}
