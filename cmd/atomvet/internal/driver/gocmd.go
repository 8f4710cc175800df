package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// goCommand prepares a run of the go command. Its errors go to stderr.
func (c *checker) goCommand(ctx context.Context, verb string, flags, patterns []string, own ...string) (*exec.Cmd, error) {
	name, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("cannot find the go command: %v", err)
	}
	args := append([]string{verb}, own...)
	args = append(args, flags...)
	args = append(args, "--")
	args = append(args, patterns...)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = c.progress.stderr()
	group(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

// oldest is the first version of Go whose go vet hands findings to the command.
const oldest = "go1.26"

// checkVersion returns an error if the go command is too old. It is asked beforehand because
// go vet repeats for each package what a unit says.
func (c *checker) checkVersion(ctx context.Context) error {
	cmd, err := c.goCommand(ctx, "env", nil, []string{"GOVERSION"})
	if err != nil {
		return err
	}
	out, err := cmd.Output()
	if err != nil {
		return nil // go vet will say why
	}
	if v := strings.TrimSpace(string(out)); goversion.IsValid(v) && goversion.Compare(v, oldest) < 0 {
		return fmt.Errorf("the go command is %s; package patterns need Go 1.26 or later; use go vet -vettool instead", v)
	}
	return nil
}

// exitError tells a go command that reported a failure from one that could not
// be run to its end.
func exitError(err error) (failed bool, _ error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return true, nil
	}
	if err != nil {
		return true, fmt.Errorf("the go command: %v", err)
	}
	return false, nil
}

type interrupt struct{ os.Signal }

func (i interrupt) Error() string { return i.String() }

// catchSignals returns a context that ends with the first signal to stop.
// A second signal has its usual effect.
func catchSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interrupt{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// interrupted returns the exit code for a context that a signal has ended, in
// the manner of a shell.
func interrupted(ctx context.Context) (code int, ok bool) {
	var i interrupt
	if !errors.As(context.Cause(ctx), &i) {
		return 0, false
	}
	if s, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(s), true
	}
	return exitFailure, true
}

// complaints hands on what the go command prints on stderr, and notes whether
// there was more in it than news.
type complaints struct {
	to   io.Writer
	line []byte
	any  bool
}

func (c *complaints) Write(p []byte) (int, error) {
	c.line = append(c.line, p...)
	for {
		line, rest, ok := bytes.Cut(c.line, []byte("\n"))
		if !ok {
			break
		}
		c.any = c.any || !isNews(string(line))
		c.line = rest
	}
	return c.to.Write(p)
}

func isNews(line string) bool {
	for _, prefix := range []string{"go: downloading ", "go: warning:", "warning:", "WORK="} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
