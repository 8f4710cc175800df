package accession

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
)

// ErrNotPrimary says that another node has to be asked.
var ErrNotPrimary = errors.New("accession: this node is not the primary")

const maxBatch = 500

// Number identifies a sample for as long as the laboratory keeps records.
type Number struct {
	Epoch uint32
	Count uint32
}

// String returns the number as it is printed on the tube.
func (n Number) String() string { return fmt.Sprintf("%05d-%07d", n.Epoch, n.Count) }

// Numberer gives out numbers while its node is the primary. The count goes on
// from epoch to epoch; it need not be dense. It is safe for concurrent use.
type Numberer struct {
	node  *Node
	count atomic.Uint32
}

// NewNumberer returns a numberer for the node.
func NewNumberer(n *Node) *Numberer { return &Numberer{node: n} }

// Next returns a number that has not been given out before.
func (s *Numberer) Next() (Number, error) {
	return s.take(1)
}

// Batch returns n numbers, as for a tray of tubes from a ward.
func (s *Numberer) Batch(n int) ([]Number, error) {
	if n < 1 || n > maxBatch {
		return nil, fmt.Errorf("accession: cannot give out %d numbers at once", n)
	}
	first, err := s.take(uint32(n))
	if err != nil {
		return nil, err
	}
	out := make([]Number, n)
	for i := range out {
		out[i] = Number{Epoch: first.Epoch, Count: first.Count + uint32(i)}
	}
	return out, nil
}

// take sets n numbers in a row aside and returns the first.
func (s *Numberer) take(n uint32) (Number, error) {
	if !s.node.IsPrimary() {
		return Number{}, ErrNotPrimary
	}
	last := s.count.Add(n)
	return Number{Epoch: s.node.Epoch(), Count: last - n + 1}, nil
}

// ServeHTTP answers POST requests with the numbers of a batch. The query
// parameter n is the size of the batch, 1 if it is missing.
func (s *Numberer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	n := 1
	if q := r.FormValue("n"); q != "" {
		var err error
		if n, err = strconv.Atoi(q); err != nil {
			http.Error(w, "bad n", http.StatusBadRequest)
			return
		}
	}
	numbers, err := s.Batch(n)
	switch {
	case errors.Is(err, ErrNotPrimary):
		w.Header().Set("X-Primary", s.node.Leader())
		http.Error(w, err.Error(), http.StatusMisdirectedRequest)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	tubes := make([]string, len(numbers))
	for i, num := range numbers {
		tubes[i] = num.String()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(tubes)
}
