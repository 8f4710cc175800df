//go:build atomvet

// Scheduled messages end the server (memory store).
//
// Project: nats-server 1787eee035cf0253c201fa0f05afad92b6f296dc
// Package: ./server
// Finding: fb049989b4cc, server/memstore.go:1585
// Found: 50
//
// An update of the stream that turns schedules off comes while messages that are due are handed to the
// callback. The timer of the store then follows a nil pointer: in a server, that ends the process.

package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("memstore", func() (unit, rival func() []any, state any) {
		cfg := &StreamConfig{Name: "TEST", Subjects: []string{"foo.*"}, Storage: MemoryStorage, AllowMsgSchedules: true}
		ms := atomvetrt.Must(newMemStore(cfg))
		published := new(int)
		ms.pmsgcb = func(*inMsg) { *published++ }
		hdr := genHeader(nil, JSSchedulePattern, fmt.Sprintf("@at %s", time.Now().Add(500*time.Millisecond).Format(time.RFC3339Nano)))
		hdr = genHeader(hdr, JSScheduleTarget, "foo.target")
		if _, _, err := ms.StoreMsg("foo.schedule", hdr, nil, 0); err != nil {
			panic(err)
		}
		ms.mu.Lock()
		clearTimer(&ms.scheduling.timer) // the unit is what the timer runs
		ms.mu.Unlock()
		time.Sleep(2 * time.Second) // the message is due
		off := *cfg
		off.AllowMsgSchedules = false
		return func() []any { ms.runMsgScheduling(); return nil },
			func() []any { return []any{ms.UpdateConfig(&off)} },
			nil
	}); err != nil {
		t.Error(err)
	}
}
