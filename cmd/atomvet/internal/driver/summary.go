package driver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// summary prints what was done on standard error.
func (c *checker) summary(found int) {
	parts := []string{text.Count(found, c.what)}
	if roots, err := c.roots(); err == nil {
		parts = append([]string{text.Count(len(roots), "package")}, parts...)
	}
	parts = append(parts, c.notes...)
	fmt.Fprintf(os.Stderr, "atomvet: %s, %.1f seconds\n", strings.Join(parts, ", "), time.Since(c.start).Seconds())
}

// suggest prints a command line if the patterns are missing and the current directory has no
// package, but is in a module, or has one in a subdirectory.
func (c *checker) suggest(ctx context.Context) {
	if c.opts.named {
		return
	}
	if files, _ := filepath.Glob("*.go"); len(files) > 0 {
		return
	}
	cmd, err := c.goCommand(ctx, "env", nil, []string{"GOMOD"})
	if err != nil {
		return
	}
	cmd.Stderr = nil
	out, _ := cmd.Output()
	if mod := strings.TrimSpace(string(out)); mod != "" && mod != os.DevNull {
		fmt.Fprintln(os.Stderr, "atomvet: no package was named, and there is none in this directory; for all packages below it, type: atomvet ./...")
		return
	}
	for _, pattern := range []string{"*/go.mod", "*/*/go.mod"} {
		if mods, _ := filepath.Glob(pattern); len(mods) > 0 {
			fmt.Fprintf(os.Stderr, "atomvet: no package was named, and this directory is in no module; for those of a module below it, type: atomvet -C %s ./...\n", filepath.Dir(mods[0]))
			return
		}
	}
}
