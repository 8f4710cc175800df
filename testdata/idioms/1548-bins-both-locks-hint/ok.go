package a

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"sync"
)

var (
	ErrNoBin = errors.New("warehouse: no such bin")
	ErrStock = errors.New("warehouse: not enough stock in bin")
	ErrSpace = errors.New("warehouse: no bin has room")
)

// Bin is a shelf position, locked on its own.
type Bin struct {
	code     string
	zone     string
	capacity int

	mu    sync.Mutex
	stock map[string]int // sku -> pieces
	used  int
}

func (b *Bin) free() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.capacity - b.used
}

func (b *Bin) Put(sku string, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.capacity {
		return false
	}
	b.stock[sku] += n
	b.used += n
	return true
}

// Warehouse has a fixed set of bins, laid out at start.
type Warehouse struct {
	bins map[string]*Bin
}

func NewWarehouse(layout map[string]int, zone string) *Warehouse {
	w := &Warehouse{bins: make(map[string]*Bin, len(layout))}
	for code, capacity := range layout {
		w.bins[code] = &Bin{code: code, zone: zone, capacity: capacity, stock: make(map[string]int)}
	}
	return w
}

func lockBoth(a, b *Bin) (unlock func()) {
	if a.code > b.code {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	return func() {
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

// Move carries n pieces from one bin to another.
func (w *Warehouse) Move(sku string, n int, from, to *Bin) error {
	if from == to {
		return nil
	}
	defer lockBoth(from, to)()
	if from.stock[sku] < n {
		return ErrStock
	}
	if to.capacity-to.used < n {
		return ErrSpace
	}
	from.stock[sku] -= n
	from.used -= n
	to.stock[sku] += n
	to.used += n
	return nil
}

// Relocate empties a place: it moves the pieces to the bin that has the most
// room and falls back to the next ones.
func (w *Warehouse) Relocate(sku string, n int, code string) (string, error) {
	from, ok := w.bins[code]
	if !ok {
		return "", ErrNoBin
	}
	type offer struct {
		bin  *Bin
		room int
	}
	var offers []offer
	for _, b := range w.bins {
		if b == from || b.zone != from.zone {
			continue
		}
		if room := b.free(); room >= n {
			offers = append(offers, offer{b, room})
		}
	}
	sort.Slice(offers, func(i, j int) bool { return offers[i].room > offers[j].room })
	for _, o := range offers {
		err := w.Move(sku, n, from, o.bin)
		if errors.Is(err, ErrSpace) {
			continue
		}
		return o.bin.code, err
	}
	return "", ErrSpace
}

func (w *Warehouse) HandleRelocate(rw http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil || n <= 0 {
		http.Error(rw, "bad quantity", http.StatusBadRequest)
		return
	}
	to, err := w.Relocate(r.FormValue("sku"), n, r.FormValue("bin"))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintln(rw, to)
}
