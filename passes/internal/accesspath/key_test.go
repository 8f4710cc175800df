package accesspath

import (
	"slices"
	"testing"
)

func TestHasAny(t *testing.T) {
	for _, test := range []struct {
		key  Key
		want bool
	}{
		{"", false},
		{AnyKey, true},
		{"p0.name", false},
		{"p0.m[*]", true},
		{"p0.m[*].mu", true},
		{"p0.m[p1;*]", true},
		{"p0.m[=1;p1[*]]", true},
		{"*;p1", true},
		{"p1;*", true},
		{ConstKey(`"*"`), false},
		{ConstKey(`"[*]"`), false},
		{ConstKey("*"), false},
		{Key(Param(0).Field("m").Index(ConstKey(`"a;*"`)).Field("x")), false},
		{Key(Param(0).Index(ConstKey(`"*"`)).Index(AnyKey)), true},
		{Key(Global("example.com/a=b", "x")), false},
	} {
		if got := test.key.HasAny(); got != test.want {
			t.Errorf("%q: %t", test.key, got)
		}
		if got := Param(0).Index(test.key).HasAny(); test.key != "" && got != test.want {
			t.Errorf("p0[%s]: %t", test.key, got)
		}
	}
	if Unknown.HasAny() || Param(0).HasAny() {
		t.Error("a root leads through an element")
	}
}

// TestKeyParts demands that keys come apart as they were put together.
func TestKeyParts(t *testing.T) {
	parts := []Key{PathKey("p0.a"), ConstKey(`"x;y"`), AnyKey, ConstKey("nil")}
	var k Key
	for i, part := range parts {
		k = k.Then(part)
		if got := k.Parts(); !slices.Equal(got, parts[:i+1]) {
			t.Errorf("%q has the parts %q", k, got)
		}
		if k.IsNested() != (i > 0) || k.Outer() != parts[0] {
			t.Errorf("%q: nested %t, outer %q", k, k.IsNested(), k.Outer())
		}
	}
	if k.Path() != Unknown || AnyKey.Path() != Unknown || ConstKey("1").Path() != Unknown || PathKey("p1").Path() != "p1" {
		t.Error("paths of keys")
	}
	if PathKey(Unknown) != AnyKey {
		t.Error("a value without a name is the key of a known element")
	}
	if text, ok := ConstKey("42").Const(); !ok || text != "42" {
		t.Errorf("the constant is %q", text)
	}
	if _, ok := PathKey("p1").Const(); ok {
		t.Error("a path is a constant")
	}
}
