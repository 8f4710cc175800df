package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	kernelsDir  = "testdata/kernels"
	kernelsFile = kernelsDir + "/repro.tsv"
)

// A finding is one in a mistake of testdata/kernels.
type finding struct {
	ID       string
	File     string
	Line     int
	Category string
	Anchors  *struct{ Unit string }
}

// kernels tries the findings in the mistakes with the given names, all if there are none.
func (r *runner) kernels(names []string, update bool) error {
	list, err := r.findings(names)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	count := make(map[string]int)
	for _, f := range list {
		begin := time.Now()
		what, why := r.try(f)
		count[what]++
		line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\n", path.Base(path.Dir(path.Dir(f.File))), f.Anchors.Unit, f.Category, what, why)
		out.WriteString(line)
		fmt.Printf("%s\t%.1fs\t%s", f.ID, time.Since(begin).Seconds(), line)
	}
	fmt.Printf("%d findings: %d shown, %d where the rival only interferes, %d not shown\n", len(list), count["shown"], count["interferes"], count["not shown"])
	if update {
		return os.WriteFile(filepath.Join(r.root, kernelsFile), out.Bytes(), 0o666)
	}
	return nil
}

// try returns the verdict on a finding, and what is missing.
func (r *runner) try(f finding) (what, why string) {
	v, err := r.repro(r.root, "-finding="+f.ID, "./"+path.Dir(f.File))
	if err != nil {
		text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "atomvet: "), "\n")
		return "not shown", text
	}
	return v.Verdict, v.Missing
}

// findings returns the findings with anchors in the mistakes.
func (r *runner) findings(names []string) ([]finding, error) {
	patterns := []string{"./" + kernelsDir + "/..."}
	if len(names) > 0 {
		patterns = nil
		for _, n := range names {
			patterns = append(patterns, "./"+kernelsDir+"/"+n+"/...")
		}
	}
	cmd := exec.Command(r.tool, append([]string{"-json", "-tests=false"}, patterns...)...)
	cmd.Dir = r.root
	out, _ := cmd.Output() // findings make it fail
	var doc struct{ Findings []finding }
	if err := json.Unmarshal(out, &doc); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(doc.Findings, func(f finding) bool {
		return f.Anchors == nil || !strings.Contains(f.File, "/bug/") || !strings.HasPrefix(f.File, kernelsDir)
	}), nil
}
