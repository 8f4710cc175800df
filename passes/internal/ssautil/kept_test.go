package ssautil_test

import (
	"testing"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

const keepers = `package p

type visitor interface{ visit(string) }
type visit func(string)
func (v visit) visit(s string) { v(s) }
type route struct { path string; f func(string) }
type router struct { fs []func(string); routes []route; m map[string]route; c chan route; v visitor }

func Field(r *router, f func(string))   { r.v = visit(f) }
func Append(r *router, f func(string))  { r.fs = append(r.fs, f) }
func Struct(r *router, f func(string))  { r.routes = append(r.routes, route{"", f}) }
func Map(r *router, f func(string))     { r.m[""] = route{"", f} }
func Send(r *router, f func(string))    { r.c <- route{"", f} }
func Literal(r *router, f func(string)) { r.fs = append(r.fs, func(s string) { f(s) }) }
func Callee(r *router, f func(string))  { set(r, visit(f)) }
func set(r *router, v visitor)          { r.v = v }
func New(f func(string)) *route          { return &route{f: f} }

func Call(f func(string))        { f("") }
func Visit(f func(string))       { walk(visit(f)) }
func walk(v visitor)             { v.visit(""); if v != nil { walk(v) } }
func Range(f func(string))       { for _, g := range []func(string){f} { g("") } }
func Value(f func(string))       { run(route{"", f}) }
func run(r route)                { r.f("") }
func Deferred(f func(string))    { defer func() { f("") }() }
`

func TestKept(t *testing.T) {
	fns, _ := buildOf(t, keepers)
	want := map[string]bool{
		"Field": true, "Append": true, "Struct": true, "Map": true, "Send": true, "Literal": true, "Callee": true, "New": true,
		"Call": false, "Visit": false, "Range": false, "Value": false, "Deferred": false,
	}
	for name, kept := range want {
		prms := fns[name].Params
		if got := ssautil.Kept(prms[len(prms)-1], nil); got != kept {
			t.Errorf("%s: %t, want %t", name, got, kept)
		}
	}
}
