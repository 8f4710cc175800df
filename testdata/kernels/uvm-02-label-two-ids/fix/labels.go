// Package fix compresses label sets to short keys.
package fix

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Label is one name and its value.
type Label struct {
	Name  string
	Value string
}

// Compressor maps labels to numbers and back.
type Compressor struct {
	next      atomic.Uint32
	labelToID sync.Map // Label -> uint32
	idToLabel sync.Map // uint32 -> Label
}

func (c *Compressor) getID(l Label) uint32 {
	v, ok := c.labelToID.Load(l)
	if !ok {
		return 0
	}
	return v.(uint32)
}

func (c *Compressor) getLabel(id uint32) Label {
	v, ok := c.idToLabel.Load(id)
	if !ok {
		return Label{}
	}
	return v.(Label)
}

// loadOrStore returns the id of l, which is id unless another goroutine came
// first.
func (c *Compressor) loadOrStore(id uint32, l Label) uint32 {
	// The way back must work before anybody can see the id.
	c.idToLabel.Store(id, l)
	if v, loaded := c.labelToID.LoadOrStore(l, id); loaded {
		return v.(uint32)
	}
	return id
}

// Compress appends the key of labels to dst. Equal label sets have equal keys.
func (c *Compressor) Compress(dst []byte, labels []Label) []byte {
	for _, l := range labels {
		id := c.getID(l)
		if id == 0 {
			id = c.loadOrStore(c.next.Add(1), Label{
				Name:  strings.Clone(l.Name),
				Value: strings.Clone(l.Value),
			})
		}
		dst = binary.LittleEndian.AppendUint32(dst, id)
	}
	return dst
}

// Decompress appends the labels of key to dst.
func (c *Compressor) Decompress(dst []Label, key string) []Label {
	b := []byte(key)
	for len(b) >= 4 {
		id := binary.LittleEndian.Uint32(b)
		b = b[4:]
		l := c.getLabel(id)
		if l.Name == "" {
			panic(fmt.Sprintf("BUG: no label with id %d", id))
		}
		dst = append(dst, l)
	}
	return dst
}

// Counter counts samples per label set.
type Counter struct {
	labels Compressor

	mu     sync.Mutex
	counts map[string]int
}

// NewCounter counts what arrives on the inputs, each with its own worker.
func NewCounter(inputs ...<-chan []Label) (*Counter, *sync.WaitGroup) {
	c := &Counter{counts: make(map[string]int)}
	var wg sync.WaitGroup
	for _, in := range inputs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var key []byte
			for labels := range in {
				key = c.labels.Compress(key[:0], labels)
				c.mu.Lock()
				c.counts[string(key)]++
				c.mu.Unlock()
			}
		}()
	}
	return c, &wg
}

// Each calls f for every label set.
func (c *Counter) Each(f func(labels []Label, n int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var labels []Label
	for key, n := range c.counts {
		labels = c.labels.Decompress(labels[:0], key)
		f(labels, n)
	}
}
