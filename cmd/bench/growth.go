//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// grow measures both tools on programs of the given sizes.
func grow(runs int, cache, tool, list, only string) error {
	var sizes []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("bad size %q", s)
		}
		sizes = append(sizes, n)
	}
	m, own, release, err := prepare(cache, tool)
	if err != nil {
		return err
	}
	defer release()
	m.packages = []string{"."}

	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "family\t")
	for _, n := range sizes {
		fmt.Fprintf(t, "%d lines\tSSA\t", n)
	}
	fmt.Fprint(t, "exponent\tSSA\t\n")
	known := false
	for _, f := range families {
		if only != "" && f.name != only {
			continue
		}
		known = true
		fmt.Fprintf(t, "%s\t", f.name)
		var base, mine []float64
		for _, n := range sizes {
			o, b, err := m.program(f, n, runs, own)
			if err != nil {
				return err
			}
			base, mine = append(base, b), append(mine, o)
			fmt.Fprintf(t, "%.2f s\t%.2f s\t", o, b)
		}
		fmt.Fprintf(t, "%.2f\t%.2f\t\n", exponent(sizes, mine), exponent(sizes, base))
	}
	if !known {
		return fmt.Errorf("there is no family %q", only)
	}
	return t.Flush()
}

// program returns the least CPU seconds of both tools for a program.
func (m *measurement) program(f family, lines, runs int, own string) (mine, base float64, err error) {
	m.dir = filepath.Join(m.temp, fmt.Sprint(f.name, lines))
	if err := os.MkdirAll(m.dir, 0o777); err != nil {
		return 0, 0, err
	}
	for name, text := range map[string]string{"p.go": prologue + f.program(lines), "go.mod": "module p\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o666); err != nil {
			return 0, 0, err
		}
	}
	mine, base = math.Inf(1), math.Inf(1)
	for range runs {
		for _, t := range []struct {
			tool string
			to   *float64
		}{{onlySSA, &base}, {own, &mine}} {
			c, err := m.run(t.tool)
			if err != nil {
				return 0, 0, err
			}
			*t.to = min(*t.to, c.of["p"].Seconds())
		}
	}
	return mine, base, nil
}

// exponent fits a power law to times by least squares. Times of less than a millisecond
// count as one.
func exponent(sizes []int, seconds []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i, size := range sizes {
		x, y := math.Log(float64(size)), math.Log(max(seconds[i], time.Millisecond.Seconds()))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(sizes))
	if n*sxx == sx*sx {
		return 0
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
