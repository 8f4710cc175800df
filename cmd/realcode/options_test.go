package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args string
		want options
	}{
		{"", options{}},
		{"-dir d p", options{dir: "d", project: "p"}},
		{"p -dir=d", options{dir: "d", project: "p"}},
		{"--dir d --update p", options{dir: "d", project: "p", update: true}},
		{"-dir d -confidence=low -stalevalue p -update -tags=a,b", options{dir: "d", project: "p", update: true, flags: []string{"-confidence=low", "-stalevalue", "-tags=a,b"}}},
	} {
		if got, err := parse(strings.Fields(test.args)); err != nil || !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%q: %+v, %v; want %+v", test.args, got, err, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ args, says string }{
		{"-h", "help"},
		{"p", "where is the checkout of p"},
		{"p -dir", "where is the checkout of p"},
		{"-dir d", "which project"},
		{"-update", "which project"},
		{"-dir d -tags noassets p", "two projects, noassets and p; flags for atomvet are written as -name=value"},
	} {
		if got, err := parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: %+v, %v; want %q", test.args, got, err, test.says)
		}
	}
}
