package gopls

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

const modulePath = "github.com/atomvet/atomvet"

// A source is where the analyzers are compiled from.
type source struct {
	version string // of the module
	dir     string // of a checkout, or empty for the module version
	sum     []byte // lines for go.sum
}

// findSource returns the source of the running binary, or the checkout that is named.
func findSource(cmd goCommand, named string) (*source, error) {
	if named != "" {
		return checkout(cmd, named)
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Path == modulePath && info.Main.Sum != "" && info.Main.Replace == nil {
		sum := fmt.Sprintf("%s %s %s\n", modulePath, info.Main.Version, info.Main.Sum)
		return &source{version: info.Main.Version, sum: []byte(sum)}, nil
	}
	// A binary that was built with -trimpath has no absolute names in it.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if s, err := checkout(cmd, filepath.Dir(file)); err == nil {
			return s, nil
		}
	}
	if dir, err := cmd.quiet().output("list", "-m", "-f={{.Dir}}", modulePath); err == nil && dir != "" {
		return checkout(cmd, dir)
	}
	return nil, fmt.Errorf("this binary was built from a checkout of %s that cannot be found; name a checkout with -source", modulePath)
}

// checkout returns the source in the module that a directory is in.
func checkout(cmd goCommand, dir string) (*source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for root := dir; ; root = filepath.Dir(root) {
		file := filepath.Join(root, "go.mod")
		if _, err := os.Stat(file); err == nil {
			mod, err := readMod(cmd, file)
			if err != nil {
				return nil, err
			}
			if mod.Module.Path != modulePath {
				return nil, fmt.Errorf("%s is in the module %s, and not in %s", dir, mod.Module.Path, modulePath)
			}
			sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
			return &source{version: "v0.0.0", dir: root, sum: sum}, err
		}
		if root == filepath.Dir(root) {
			return nil, fmt.Errorf("%s is in no module", dir)
		}
	}
}
