package atomvetrt

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

// direct reads the number of the current goroutine from the runtime's structure, at the offsets in the
// configuration. It is nil if the program is not linked with direct.go.
var direct func() uint64

// calibrate compares the goroutine number that direct reads with that of the stack trace, and turns
// direct off if they differ.
func calibrate() {
	if direct != nil && (cfg.CurG == 0 || cfg.GoID == 0 || direct() != slowID()) {
		direct = nil
	}
}

// goid returns the number of the current goroutine.
func goid() uint64 {
	if direct != nil {
		return direct()
	}
	return slowID()
}

func slowID() uint64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	text, _, _ = bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(text), 10, 64)
	return id
}

// A goroutine is what is known of one.
type goroutine struct {
	id   uint64
	elem element // whose key comes next
	// units are the findings whose unit the goroutine is in, as often as it is.
	units   map[int]int
	pending []*pending
	role    map[int]bool // of a finding: the call of its act has begun
	observed
}

var (
	goroutines sync.Map // by number
	known      int
)

// maxGoroutines bounds the goroutines that are remembered.
const maxGoroutines = 1 << 16

func current() *goroutine {
	id := goid()
	if g, ok := goroutines.Load(id); ok {
		return g.(*goroutine)
	}
	g := &goroutine{id: id}
	//lint:ignore stalevalue the key is the number of this goroutine, and no other one stores under it
	goroutines.Store(id, g)
	mu.Lock()
	if known++; known > maxGoroutines {
		forget()
	}
	mu.Unlock()
	return g
}

// forget drops the goroutines about which there is nothing to remember: most have ended.
func forget() {
	known = 0
	goroutines.Range(func(id, g any) bool {
		if g := g.(*goroutine); len(g.pending)+len(g.units)+len(g.sections) == 0 {
			goroutines.Delete(id)
		} else {
			known++
		}
		return true
	})
}
