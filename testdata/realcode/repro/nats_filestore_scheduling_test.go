//go:build atomvet

// Scheduled messages end the server (file store).
//
// Project: nats-server 1787eee035cf0253c201fa0f05afad92b6f296dc
// Package: ./server
// Finding: 88a7a8f655c0, server/filestore.go:7472
// Found: 50
//
// As with the memory store, with an update of the configuration that rebuilds the state of the store.

package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("filestore", func() (unit, rival func() []any, state any) {
		cfg := StreamConfig{Name: "TEST", Subjects: []string{"foo.*"}, Storage: FileStorage, AllowMsgSchedules: true}
		fs := atomvetrt.Must(newFileStore(FileStoreConfig{StoreDir: t.TempDir()}, cfg))
		fs.pmsgcb = func(*inMsg) {}
		hdr := genHeader(nil, JSSchedulePattern, fmt.Sprintf("@at %s", time.Now().Add(-time.Second).Format(time.RFC3339Nano)))
		hdr = genHeader(hdr, JSScheduleTarget, "foo.target")
		if _, _, err := fs.StoreMsg("foo.schedule", hdr, nil, 0); err != nil {
			panic(err)
		}
		fs.mu.Lock()
		clearTimer(&fs.scheduling.timer) // the unit is what the timer runs
		fs.mu.Unlock()
		t.Cleanup(func() { fs.Stop() })
		off := cfg
		off.AllowMsgSchedules = false
		return func() []any { fs.runMsgScheduling(); return nil },
			func() []any { return []any{fs.UpdateConfig(&off)} },
			nil
	}); err != nil {
		t.Error(err)
	}
}
