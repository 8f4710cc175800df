package testrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A Cost is what the test binaries of a run have taken, without the time to compile them.
type Cost struct{ CPU, Wall time.Duration }

// costFiles are the names of the files in which the binaries leave it.
const costFiles = "*.cost"

// Measured runs a test binary for go test -exec: args are the directory for the cost, the binary and its
// arguments. It returns the exit code.
func Measured(args []string) int {
	if len(args) < 2 {
		return 2
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	begin := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	c := Cost{Wall: time.Since(begin), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	data, _ := json.Marshal(c)
	if f, err := os.CreateTemp(args[0], costFiles); err == nil {
		f.Write(data)
		f.Close()
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return 2
}

// measure returns the flag of go test by which the binaries are measured.
func (r *Runner) measure(dir string) []string {
	if r.Measure == "" {
		return nil
	}
	return []string{fmt.Sprintf("-exec=%s %q", r.Measure, dir)}
}

// addCosts adds up the costs of the binaries.
func (o *Outcome) addCosts(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, costFiles))
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var c Cost
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		o.Cost.CPU += c.CPU
		o.Cost.Wall += c.Wall
	}
	return nil
}

// Over words a cost as a multiple of another.
func (c Cost) Over(plain Cost) string {
	ratio := func(x, y time.Duration) float64 { return float64(x) / float64(max(y, 1)) }
	return fmt.Sprintf("%.2f of the CPU time, %.2f of the time", ratio(c.CPU, plain.CPU), ratio(c.Wall, plain.Wall))
}
