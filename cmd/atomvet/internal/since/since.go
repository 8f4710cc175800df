// Package since finds the declarations that differ from those of a git revision. White space,
// comments, and the position of a declaration in its package are ignored.
package since

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A Revision is a state of the source in git.
type Revision struct {
	commit string
	top    string                     // the root of the work tree
	old    map[string]map[digest]bool // declarations of the directories at the revision
	now    map[string][]declaration   // of the files as they are
}

// Open returns the revision with a name, of the repository of the current directory.
func Open(name string) (*Revision, error) {
	commit, err := git(".", nil, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
	if err != nil && name == "HEAD" && unborn() {
		commit, err = git(".", new(bytes.Buffer), "hash-object", "-t", "tree", "--stdin") // of no files
	}
	if err != nil {
		return nil, fmt.Errorf("no revision %q: %v", name, err)
	}
	top, err := git(".", nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return &Revision{
		commit: strings.TrimSpace(string(commit)), top: strings.TrimSuffix(string(top), "\n"),
		old: make(map[string]map[digest]bool), now: make(map[string][]declaration),
	}, nil
}

// unborn reports whether the branch of the current directory has no commit yet: then everything is new.
func unborn() bool {
	branch, err := git(".", nil, "symbolic-ref", "HEAD")
	if err != nil {
		return false
	}
	_, err = git(".", nil, "rev-parse", "--verify", "--end-of-options", strings.TrimSpace(string(branch)))
	return err != nil
}

// Concerns reports whether a finding, or a place that is a reason for it, is in a declaration
// that differs from the revision.
func (r *Revision) Concerns(f *report.Finding) (bool, error) {
	places := []report.Position{f.Position}
	for _, rel := range f.Related {
		places = append(places, rel.Position)
	}
	for _, p := range places {
		if differs, err := r.differs(p); differs || err != nil {
			return differs, err
		}
	}
	return false, nil
}

// differs reports whether the declaration at a position differs. Files outside of the work tree
// do not.
func (r *Revision) differs(p report.Position) (bool, error) {
	file, err := realPath(p.File)
	if err != nil {
		return false, nil // no file to look at
	}
	if rel, err := filepath.Rel(r.top, file); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return false, nil
	}
	decls, ok := r.now[file]
	if !ok {
		data, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		decls = declarations(data)
		r.now[file] = decls
	}
	for _, d := range decls {
		if d.first <= p.Line && p.Line <= d.last {
			old, err := r.directory(filepath.Dir(file))
			return !old[d.digest], err
		}
	}
	return false, nil // the package clause
}

func realPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// directory returns the declarations of the Go files in a directory at the revision.
func (r *Revision) directory(dir string) (map[digest]bool, error) {
	if old, ok := r.old[dir]; ok {
		return old, nil
	}
	list, err := git(dir, nil, "ls-tree", "-z", r.commit)
	if err != nil {
		return nil, err
	}
	var blobs bytes.Buffer
	for line := range strings.SplitSeq(string(list), "\x00") {
		// MODE blob OBJECT<tab>NAME
		info, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(info)
		if len(fields) == 3 && fields[1] == "blob" && strings.HasSuffix(name, ".go") {
			fmt.Fprintln(&blobs, fields[2])
		}
	}
	old := make(map[digest]bool)
	r.old[dir] = old
	if blobs.Len() == 0 {
		return old, nil
	}
	contents, err := git(dir, &blobs, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for len(contents) > 0 {
		// OBJECT blob SIZE<newline>CONTENT<newline>
		header, rest, _ := bytes.Cut(contents, []byte("\n"))
		fields := strings.Fields(string(header))
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil || size+1 > len(rest) {
			return nil, fmt.Errorf("unexpected output from git cat-file: %q", header)
		}
		for _, d := range declarations(rest[:size]) {
			old[d.digest] = true
		}
		contents = rest[size+1:]
	}
	return old, nil
}

// git runs git in a directory.
func git(dir string, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, stdin
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// A digest identifies the tokens of a declaration. That of a method has its receiver in it.
type digest [sha256.Size]byte

type declaration struct {
	first, last int // lines
	digest      digest
}

// declarations returns the declarations of a file, as far as it can be parsed.
func declarations(src []byte) []declaration {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	var out []declaration
	for _, d := range file.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			continue
		}
		from, to := fset.Position(d.Pos()), fset.Position(d.End())
		if from.Offset <= to.Offset && to.Offset <= len(src) {
			out = append(out, declaration{from.Line, to.Line, tokens(src[from.Offset:to.Offset])})
		}
	}
	return out
}

// tokens returns the digest of the tokens of a text.
func tokens(src []byte) digest {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), src, nil, 0)
	h := sha256.New()
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return digest(h.Sum(nil))
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // the end of a line
		}
		fmt.Fprintf(h, "%d %q\n", tok, lit)
	}
}
