package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// options is the command line.
type options struct {
	root     string   // the directory of checkouts
	tool     string   // the binary, or none: it is built
	save     string   // the directory for what atomvet prints
	load     string   // the directory with that of an earlier run
	update   bool     // the labels
	projects []string // NAME or NAME=DIR
	flags    []string // for atomvet
}

var errHelp = errors.New("help")

// parse reads a command line. Package flag will not do, as the flags of atomvet are
// known to atomvet only.
func parse(args []string) (*options, error) {
	opts := new(options)
	values := map[string]*string{"-root": &opts.root, "-tool": &opts.tool, "-save": &opts.save, "-load": &opts.load}
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(args[i], "=")
		if strings.HasPrefix(name, "--") {
			name = name[1:]
		}
		switch {
		case name == "-h" || name == "-help":
			return nil, errHelp
		case name == "-update":
			opts.update = true
		case values[name] != nil:
			if !hasValue && i+1 < len(args) {
				i++
				value = args[i]
			}
			if value == "" {
				return nil, fmt.Errorf("%s needs a value", name)
			}
			*values[name] = value
		case strings.HasPrefix(name, "-"):
			opts.flags = append(opts.flags, args[i])
		default:
			opts.projects = append(opts.projects, args[i])
		}
	}
	return opts, opts.check(len(args))
}

func (opts *options) check(args int) error {
	switch {
	case args == 0:
		return nil
	case len(opts.projects) == 0 && opts.root == "":
		return errors.New("which projects? Without arguments they are listed")
	case opts.save != "" && opts.load != "":
		return errors.New("-save and -load are not for one run")
	}
	for _, arg := range opts.projects {
		if !strings.Contains(arg, "=") && opts.root == "" {
			// It may be the value of a flag, too.
			return fmt.Errorf("where is the checkout of %s? Say %[1]s=DIR, or -root; flags for atomvet are written as -name=value", arg)
		}
	}
	return opts.absolute()
}

// absolute makes the name of the tool absolute, as it runs in the checkouts.
func (opts *options) absolute() (err error) {
	if opts.tool != "" {
		opts.tool, err = filepath.Abs(opts.tool)
	}
	return err
}
