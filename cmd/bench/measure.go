//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"
)

// A cost is what a run has cost, over all units.
type cost struct {
	units        int
	cpu          time.Duration
	maxRSS       int64
	facts        int64                    // of packages as they are imported
	variantFacts int64                    // of packages compiled for tests
	warm         time.Duration            // CPU time of go vet with all results in the cache
	of           map[string]time.Duration // CPU time by package
}

func (c *cost) add(u unitCost) {
	c.units++
	c.cpu += u.CPU
	if c.of == nil {
		c.of = make(map[string]time.Duration)
	}
	c.of[u.Path] += u.CPU
	c.maxRSS = max(c.maxRSS, u.MaxRSS)
	if u.Variant {
		c.variantFacts += u.Facts
	} else {
		c.facts += u.Facts
	}
}

type measurement struct {
	cache, temp string
	dir         string
	packages    []string
	version     int
}

// run runs go vet with a tool on all packages.
func (m *measurement) run(tool string) (cost, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	logFile, err := os.CreateTemp(m.temp, "log")
	if err != nil {
		return cost{}, err
	}
	defer logFile.Close()

	m.version++
	cmd := exec.Command("go", append([]string{"vet", "-json", "-vettool=" + self}, m.packages...)...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(),
		"GOCACHE="+m.cache,
		toolVar+"="+tool,
		logVar+"="+logFile.Name(),
		// The cache may have results of an earlier measurement.
		fmt.Sprintf("%s=%d-%d-%d", versionVar, os.Getpid(), time.Now().UnixNano(), m.version))
	cmd.Stderr = os.Stderr
	fmt.Fprintf(os.Stderr, "bench: run %d, %s\n", m.version, tool)
	// With -json findings are no failure.
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("go vet with %s: %v", tool, err)
	}

	warm := exec.Command(cmd.Path, cmd.Args[1:]...)
	warm.Dir, warm.Env, warm.Stderr = cmd.Dir, cmd.Env, os.Stderr
	if err := warm.Run(); err != nil {
		return cost{}, fmt.Errorf("go vet again with %s: %v", tool, err)
	}
	c := cost{warm: warm.ProcessState.UserTime() + warm.ProcessState.SystemTime()}
	for dec := json.NewDecoder(logFile); ; {
		var u unitCost
		switch err := dec.Decode(&u); err {
		case nil:
			c.add(u)
		case io.EOF:
			if c.units == 0 {
				return c, errors.New("go vet started no tool")
			}
			return c, nil
		default:
			return c, err
		}
	}
}

// printTable prints the medians of both tools side by side, with the smallest and the largest
// ratio of a turn.
func printTable(w io.Writer, name string, base, own []cost) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\t%s\tatomvet\tratio\tfrom\tto\t\n", name)
	row := func(name, format string, value func(cost) float64) {
		b, o := median(base, value), median(own, value)
		ratio, least, most := "-", "-", "-"
		if b > 0 {
			ratio = fmt.Sprintf("%.3f", o/b)
			low, high := spread(base, own, value)
			least, most = fmt.Sprintf("%.3f", low), fmt.Sprintf("%.3f", high)
		}
		fmt.Fprintf(t, "%s\t"+format+"\t"+format+"\t%s\t%s\t%s\t\n", name, b, o, ratio, least, most)
	}
	row("units", "%.0f", func(c cost) float64 { return float64(c.units) })
	row("CPU, seconds", "%.2f", func(c cost) float64 { return c.cpu.Seconds() })
	row("warm go vet, CPU seconds", "%.2f", func(c cost) float64 { return c.warm.Seconds() })
	row("peak memory, MB", "%.1f", func(c cost) float64 { return float64(c.maxRSS) / 1e6 })
	row("facts of packages, bytes", "%.0f", func(c cost) float64 { return float64(c.facts) })
	row("facts of test variants, bytes", "%.0f", func(c cost) float64 { return float64(c.variantFacts) })
	t.Flush()

	facts := func(c cost) float64 { return float64(c.facts) }
	all := func(c cost) float64 { return float64(c.facts + c.variantFacts) }
	fmt.Fprintf(w, "facts that atomvet adds: %.0f bytes, with test variants %.0f bytes\n",
		median(own, facts)-median(base, facts), median(own, all)-median(base, all))
}

// spread returns the smallest and the largest ratio of the runs that took turns.
func spread(base, own []cost, value func(cost) float64) (low, high float64) {
	var ratios []float64
	for i := range min(len(base), len(own)) {
		if b := value(base[i]); b > 0 {
			ratios = append(ratios, value(own[i])/b)
		}
	}
	if len(ratios) == 0 {
		return 0, 0
	}
	return slices.Min(ratios), slices.Max(ratios)
}

func median(costs []cost, value func(cost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, value(c))
	}
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return 0
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}
