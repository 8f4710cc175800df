package gopls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A goCommand runs the go command in a directory.
type goCommand struct {
	ctx context.Context
	dir string
	log io.Writer // for its standard error; if nil, that becomes a part of the error
}

func (c goCommand) in(dir string) goCommand { c.dir = dir; return c }
func (c goCommand) quiet() goCommand        { c.log = nil; return c }

// output runs the command and returns what it prints, without white space at the ends.
func (c goCommand) output(args ...string) (string, error) {
	cmd := exec.CommandContext(c.ctx, "go", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GO111MODULE=on")
	if c.dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+c.dir)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if c.log != nil {
		cmd.Stderr = io.MultiWriter(c.log, &said)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && c.ctx.Err() == nil {
		if err = fmt.Errorf("go %s failed", args[0]); c.log == nil {
			err = fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(said.String()))
		}
	}
	return strings.TrimSpace(out.String()), err
}

func (c goCommand) run(args ...string) error {
	_, err := c.output(args...)
	return err
}

// A modFile is what matters here of a go.mod file.
type modFile struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
}

// readMod reads a go.mod file.
func readMod(cmd goCommand, name string) (*modFile, error) {
	out, err := cmd.quiet().output("mod", "edit", "-json", name)
	if err != nil {
		return nil, err
	}
	mod := new(modFile)
	return mod, json.Unmarshal([]byte(out), mod)
}

// requires returns the version of a module that is required, or the empty string.
func (m *modFile) requires(path string) string {
	for _, r := range m.Require {
		if r.Path == path {
			return r.Version
		}
	}
	return ""
}

// InstallDir returns the directory where go install puts programs.
func InstallDir(ctx context.Context) (string, error) {
	c := goCommand{ctx: ctx}
	if dir, err := c.output("env", "GOBIN"); dir != "" || err != nil {
		return dir, err
	}
	path, err := c.output("env", "GOPATH")
	if err != nil {
		return "", err
	}
	list := filepath.SplitList(path)
	if len(list) == 0 {
		return "", errors.New("neither GOBIN nor GOPATH is set; name a file with -o")
	}
	return filepath.Join(list[0], "bin"), nil
}
