package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkout returns the directory as the go command names files in it.
func checkout(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("no checkout: %v", err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", fmt.Errorf("no checkout: %s is not a directory", dir)
	}
	return path, nil
}

const unknownVersion = "of an unknown version"

// sameVersion reports whether a version is that of a file with labels, which may have the
// first digits of a commit only.
func sameVersion(v, commit string) bool {
	return v == commit || len(commit) >= 7 && strings.HasPrefix(v, commit)
}

// version returns which version a checkout is: the commit, or the release if it is a
// module that the go command has downloaded or the standard library.
func version(dir string) string {
	if _, v, ok := strings.Cut(filepath.Base(dir), "@"); ok {
		return v
	}
	if data, err := os.ReadFile(filepath.Join(dir, "..", "VERSION")); err == nil && filepath.Base(dir) == "src" {
		line, _, _ := strings.Cut(string(data), "\n")
		return line
	}
	// The prefix is empty in the repository's top directory only. Any other may be
	// one that is not a checkout, in the repository of something else.
	out, err := exec.Command("git", "-C", dir, "rev-parse", "--show-prefix", "HEAD").Output()
	prefix, commit, _ := strings.Cut(string(out), "\n")
	if err != nil || prefix != "" {
		return unknownVersion
	}
	return strings.TrimSpace(commit)
}
