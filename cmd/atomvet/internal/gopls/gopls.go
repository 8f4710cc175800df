// Package gopls builds a gopls that runs the analyzers of atomvet.
//
// Gopls has no point at which analyzers of others can be plugged in: its analyzers are the
// elements of a slice in an internal package. The build adds one file to that package by the
// -overlay flag of the go command, and changes nothing else. The file has an init function that
// appends to the slice.
//
// The go command does not overlay files in the module cache. So gopls is built in a temporary
// module that replaces golang.org/x/tools/gopls by a link to its directory there.
//
// # What is verified
//
// The tree of gopls is hashed, and the hash is that of the version in [pinned], or that of the
// checksum database. The checksums of its dependencies are those in the go.sum of that tree. The
// source of atomvet is the one of the running binary: its module version with the checksum that
// the binary was built with, or the checkout that it was built in.
//
// # Which versions work
//
// Gopls relies on internal packages of golang.org/x/tools, and so builds only with the version
// in its own go.mod. Atomvet needs a version, too, and the go command takes the higher one. So a
// gopls that requires a lower version than atomvet does is refused. One that needs a newer Go than
// there is is refused by the go command.
package gopls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Version is the version of gopls that is built by default, and that tests build.
const Version = "v0.23.0"

// pinned has the checksums of versions of gopls.
var pinned = map[string]string{
	"v0.23.0": "h1:Dn6mf9WXu9iLnTftDDMb9wV0c6Se7PjzEMqP0LEe08Y=",
}

const (
	goplsPath = "golang.org/x/tools/gopls"
	toolsPath = "golang.org/x/tools"
)

// A Setting is a value of a flag of an analyzer. Gopls has no settings for those, so they are
// made when it is built.
type Setting struct{ Analyzer, Flag, Value string }

// Options say what to build.
type Options struct {
	Version  string // of gopls
	Source   string // a checkout of atomvet, or empty for that of the running binary
	Output   string // the file to write
	Settings []Setting
	Log      io.Writer // for what the go command says
}

// Build builds gopls.
func Build(ctx context.Context, opts Options) error {
	b := &builder{goCommand: goCommand{ctx: ctx, log: opts.Log}, opts: opts}
	var err error
	if b.opts.Output, err = filepath.Abs(opts.Output); err != nil {
		return err
	}
	if b.source, err = findSource(b.goCommand, opts.Source); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "atomvet-gopls-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir) // does not follow the link
	if b.release, err = download(b.goCommand.in(b.dir), opts.Version); err != nil {
		return err
	}
	return b.build()
}

type builder struct {
	goCommand
	opts    Options
	source  *source  // of atomvet
	release *release // of gopls
	dir     string   // the temporary module
}

func (b *builder) build() error {
	if err := b.release.takesAnalyzers(); err != nil {
		return err
	}
	if err := b.writeModule(); err != nil {
		return err
	}
	work := b.goCommand.in(b.dir)
	if err := b.checkTools(work); err != nil {
		return err
	}
	overlay, err := b.writeOverlay()
	if err != nil {
		return err
	}
	err = work.run("build", "-mod=mod", "-modfile=", "-trimpath", "-buildvcs=false", "-overlay="+overlay,
		"-ldflags=-X main.version="+b.release.Version, "-o", b.opts.Output, goplsPath)
	if err != nil {
		return fmt.Errorf("gopls %s cannot be built with the analyzers of atomvet: %w", b.release.Version, err)
	}
	return nil
}

// checkTools returns an error if gopls would be built with another version of
// golang.org/x/tools than its own.
func (b *builder) checkTools(work goCommand) error {
	version, err := work.output("list", "-m", "-mod=mod", "-modfile=", "-f={{.Version}}", toolsPath)
	if err != nil {
		return err
	}
	if own := b.release.mod.requires(toolsPath); own != version {
		return fmt.Errorf("gopls %s can only be built with %s %s, and atomvet needs %s; gopls %s works",
			b.release.Version, toolsPath, own, version, Version)
	}
	return nil
}

// writeModule writes the temporary module.
func (b *builder) writeModule() error {
	link := filepath.Join(b.dir, "gopls")
	if err := os.Symlink(b.release.Dir, link); err != nil {
		// Not everywhere may a user make links.
		if err := os.CopyFS(link, os.DirFS(b.release.Dir)); err != nil {
			return err
		}
	}
	mod := fmt.Sprintf("module atomvet.invalid/gopls\n\ngo %s\n\nrequire (\n\t%s %s\n\t%s %s\n)\n\nreplace %[2]s => ./gopls\n",
		b.release.mod.Go, goplsPath, b.release.Version, modulePath, b.source.version)
	if b.source.dir != "" {
		mod += fmt.Sprintf("\nreplace %s => %q\n", modulePath, b.source.dir)
	}
	sum, err := os.ReadFile(filepath.Join(b.release.Dir, "go.sum"))
	if err != nil {
		return err
	}
	sum = append(sum, b.source.sum...)
	return errors.Join(
		os.WriteFile(filepath.Join(b.dir, "go.mod"), []byte(mod), 0o666),
		os.WriteFile(filepath.Join(b.dir, "go.sum"), sum, 0o666),
	)
}
