//go:build ignore

// Writes to a fake file overwrite each other.
//
// Project: syncthing 328d910aee822178f55442c76bc7e35ce34d68cc
// Package: ./lib/fs
// Finding: 2c11caa909ee, lib/fs/fakefs.go:906
// Flags: -tags=noassets
// Found: 30
//
// Written by atomvet repro.

// This test shows the finding 2c11caa909ee of atomvet, at lib/fs/fakefs.go:906:
//
// f.offset was read at line 904, but f.mut was released at line 905 and an update by another goroutine is lost by this call of WriteAt (fakeFile.offset is also written by (*fakeFile).readShortAt, fakefs.go:824, which the exported (*fakeFile).Read calls)
//
// No serial order has its outcome:
//
//	interleaved:
//		state [&1{name:"" entryType:0 dest:"" size:2 mode:0 uid:0 gid:0 mtime:… children:map[] content:[]} &2… &3{fakeEntry:&1 mut:&2 rng:nil seed:0 offset:1 seedOffs:0 presentedName:""}]
//		unit returns [1 nil]
//		rival returns [1 nil]
//	unit first:
//		state [&1{name:"" entryType:0 dest:"" size:2 mode:0 uid:0 gid:0 mtime:… children:map[] content:[]} &2… &3{fakeEntry:&1 mut:&2 rng:nil seed:0 offset:2 seedOffs:0 presentedName:""}]
//		unit returns [1 nil]
//		rival returns [1 nil]
//	rival first:
//		state [&1{name:"" entryType:0 dest:"" size:3 mode:0 uid:0 gid:0 mtime:… children:map[] content:[]} &2… &3{fakeEntry:&1 mut:&2 rng:nil seed:0 offset:3 seedOffs:0 presentedName:""}]
//		unit returns [1 nil]
//		rival returns [1 nil]
//
// atomvet repro -finding=2c11caa909ee -test=FILE PACKAGE runs it again: that adds the switch.

package fs

import (
	strings "strings"
	sync "sync"
	"testing"

	"github.com/syncthing/syncthing/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("0", func() (unit, rival func() []any, state any) {
		x1 := &fakeEntry{children: map[string]*fakeEntry{}}
		x2 := &sync.Mutex{}
		x3 := &fakeFile{fakeEntry: x1, mut: x2, rng: strings.NewReader("a")}
		return func() []any { r1, r2 := x3.Write([]byte("a")); return []any{r1, r2} }, func() []any { r1, r2 := x3.WriteAt([]byte("a"), int64(1)); return []any{r1, r2} }, []any{x1, x2, x3}
	}); err != nil {
		t.Error(err)
	}
}
