package main

import (
	"errors"
	"fmt"
	"strings"
)

// options is the command line.
type options struct {
	dir     string
	project string
	update  bool
	flags   []string // for atomvet
}

var errHelp = errors.New("help")

// parse reads a command line. Package flag will not do, as the flags of atomvet are
// known to atomvet only.
func parse(args []string) (*options, error) {
	opts := new(options)
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(args[i], "=")
		switch strings.Replace(name, "--", "-", 1) {
		case "-h", "-help":
			return nil, errHelp
		case "-update":
			opts.update = true
		case "-dir":
			if !hasValue && i+1 < len(args) {
				i++
				value = args[i]
			}
			opts.dir = value
		default:
			if err := opts.add(args[i]); err != nil {
				return nil, err
			}
		}
	}
	return opts, opts.check(len(args))
}

// add adds the project, or a flag for atomvet.
func (opts *options) add(arg string) error {
	switch {
	case strings.HasPrefix(arg, "-"):
		opts.flags = append(opts.flags, arg)
	case opts.project != "":
		// Most likely the value of a flag.
		return fmt.Errorf("two projects, %s and %s; flags for atomvet are written as -name=value", opts.project, arg)
	default:
		opts.project = arg
	}
	return nil
}

func (opts *options) check(args int) error {
	switch {
	case args == 0:
	case opts.project == "":
		return errors.New("which project? Without arguments they are listed")
	case opts.dir == "":
		return fmt.Errorf("where is the checkout of %s? Say -dir", opts.project)
	}
	return nil
}
