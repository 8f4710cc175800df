//go:build unix

// Vetcost measures what atomvet costs as a vettool, against a vettool that only
// builds SSA form, which every such analysis has to do.
//
//	go run ./cmd/atomvet/internal/vetcost [-n runs] [-cache dir] [-tool file] [packages]
//
// Times depend on the machine, so the results to look at are ratios: both tools
// take turns on the same packages (by default the standard library), and the
// table shows medians. CPU time is the sum over the processes of the tool, and
// memory the peak of the largest one; neither includes the go command and the
// compiler. Facts are what the tool leaves for the analysis of dependents.
//
// Each run does all of its analysis afresh, but what the compiler has to do for
// it is in the build cache before the first one. The go command asks a tool for
// its version to tell whether a result in the cache is still good, so a new
// version for each run is as good as an empty cache that has only compiled
// packages in it.
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
	log.SetPrefix("vetcost: ")
	playTool()

	runs := flag.Int("n", 3, "number of runs of each tool")
	cache := flag.String("cache", "", "build cache to use (default a temporary one, which takes minutes to fill)")
	tool := flag.String("tool", "", "vettool to measure (default atomvet, built from this module)")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"std"}
	}
	if err := compare(*runs, *cache, *tool, packages); err != nil {
		log.Fatal(err)
	}
}

func compare(runs int, cache, tool string, packages []string) error {
	temp, err := os.MkdirTemp("", "vetcost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if cache == "" {
		cache = filepath.Join(temp, "cache")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return err
	}
	if tool == "" {
		tool = filepath.Join(temp, "atomvet")
		build := exec.Command("go", "build", "-o", tool, "github.com/atomvet/atomvet/cmd/atomvet")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building atomvet: %v", err)
		}
	}
	if tool, err = filepath.Abs(tool); err != nil {
		return err
	}

	m := &measurement{cache: cache, temp: temp, packages: packages}
	if _, err := m.run(nothing); err != nil { // compiles
		return err
	}
	var base, own []cost
	for range runs {
		for _, t := range []struct {
			tool  string
			costs *[]cost
		}{{onlySSA, &base}, {tool, &own}} {
			c, err := m.run(t.tool)
			if err != nil {
				return err
			}
			*t.costs = append(*t.costs, c)
		}
	}
	printTable(os.Stdout, base, own)
	return nil
}
