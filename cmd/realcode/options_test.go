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
		{"p=d q=e", options{projects: []string{"p=d", "q=e"}}},
		{"-root r", options{root: "r"}},
		{"p -root=r q=e", options{root: "r", projects: []string{"p", "q=e"}}},
		{"--root r --update -tool=/t -save s", options{root: "r", update: true, tool: "/t", save: "s"}},
		{"-load l -confidence=low -stalevalue p=d -update -tags=a,b", options{load: "l", projects: []string{"p=d"}, update: true, flags: []string{"-confidence=low", "-stalevalue", "-tags=a,b"}}},
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
		{"-root", "-root needs a value"},
		{"p=d -tool=", "-tool needs a value"},
		{"-update", "which projects"},
		{"p=d -save a -load a", "-save and -load are not for one run"},
		{"p=d -tags noassets", "where is the checkout of noassets? Say noassets=DIR, or -root; flags for atomvet are written as -name=value"},
	} {
		if got, err := parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: %+v, %v; want %q", test.args, got, err, test.says)
		}
	}
}
