// Package repo finds the module of atomvet, and reads what the evaluations keep
// there: files that say in JSON what the tool is to report.
package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Root returns the root of the module that dir is in, "" being the current directory.
func Root(dir string) (string, error) {
	cmd := exec.Command("go", "env", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %v", err)
	}
	name := strings.TrimSpace(string(out))
	if name == "" || name == os.DevNull {
		return "", errors.New("not in a module")
	}
	return filepath.Dir(name), nil
}

// Decode reads JSON that has nothing in it that v has no place for. Numbers for which
// v leaves the type open are of type json.Number.
func Decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("more than one value")
	}
	return nil
}
