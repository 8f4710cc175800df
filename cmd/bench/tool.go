//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// The vettool of every run is this program, told by these variables what to be.
const (
	toolVar    = "BENCH_TOOL"    // the real tool: a file, or one of the names below
	versionVar = "BENCH_VERSION" // the version it has in this run
	logVar     = "BENCH_LOG"     // where to log the cost of each unit

	onlySSA = "ssa"     // this program, as a tool that only builds SSA form
	builtin = "vet"     // the vettool of the go command
	nothing = "nothing" // this program, as a tool that does nothing
	isReal  = "real:"   // prefix: be the real tool, not the one that measures it
)

// A unitCost is the cost of one process of the tool, in the log.
type unitCost struct {
	CPU     time.Duration
	MaxRSS  int64 // bytes
	Facts   int64 // bytes
	Variant bool  // a package compiled for tests
	Path    string
}

// playTool makes the program a tool if it was started as one.
func playTool() {
	switch tool := os.Getenv(toolVar); tool {
	case "":
		return
	case isReal + onlySSA:
		unitchecker.Main(&analysis.Analyzer{
			Name: "ssa",
			Doc:  "build SSA form",
			// This needs facts, so it runs in dependencies as well.
			Requires: []*analysis.Analyzer{buildssa.Analyzer},
			Run:      func(*analysis.Pass) (any, error) { return nil, nil },
		})
	case isReal + nothing:
		unitchecker.Main()
	case isReal + profiled:
		runProfiled()
	default:
		measureTool(tool, os.Args[1:])
	}
	os.Exit(0)
}

// measureTool runs the real tool and logs what it cost.
func measureTool(tool string, args []string) {
	last := args[len(args)-1]
	if last == "-V=full" {
		fmt.Printf("bench version devel buildID=%s\n", os.Getenv(versionVar))
		return
	}
	cmd := exec.Command(tool, args...)
	if tool == onlySSA || tool == nothing || tool == profiled {
		self, err := os.Executable()
		if err != nil {
			log.Fatal(err)
		}
		cmd = exec.Command(self, args...)
	}
	if tool == builtin {
		path, err := exec.Command("go", "tool", "-n", "vet").Output()
		if err != nil {
			log.Fatal(err)
		}
		cmd = exec.Command(strings.TrimSpace(string(path)), args...)
	}
	cmd.Env = append(os.Environ(), toolVar+"="+isReal+tool)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		log.Fatal(err)
	}
	if strings.HasSuffix(last, ".cfg") {
		if err := logUnit(last, cmd.ProcessState); err != nil {
			log.Fatal(err)
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		os.Exit(code)
	}
}

func logUnit(config string, state *os.ProcessState) error {
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var cfg unitchecker.Config
	if err := json.Unmarshal(data, &cfg); err != nil {
		return err
	}
	usage := state.SysUsage().(*syscall.Rusage)
	c := unitCost{
		Path:    cfg.ImportPath,
		CPU:     state.UserTime() + state.SystemTime(),
		MaxRSS:  int64(usage.Maxrss),
		Variant: strings.Contains(os.Getenv("TOOLEXEC_IMPORTPATH"), " ["),
	}
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		c.MaxRSS *= 1024
	}
	if info, err := os.Stat(cfg.VetxOutput); err == nil {
		c.Facts = info.Size()
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(os.Getenv(logVar), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n')) // at once: units run in parallel
	return err
}
