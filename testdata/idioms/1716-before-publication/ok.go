package a

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// ErrAccession is returned for an accession number that is in use.
var ErrAccession = errors.New("herbarium: accession number in use")

// Specimen is one dried plant.
type Specimen struct {
	Accession string
	Taxon     string
}

// Herbarium is the catalogue of a collection.
type Herbarium struct {
	mu        sync.RWMutex
	specimens map[string]Specimen
}

// Load reads a catalogue, one "accession<TAB>taxon" a line. Of two lines
// with the same accession number, it rejects the second.
func Load(r io.Reader) (*Herbarium, error) {
	h := &Herbarium{specimens: make(map[string]Specimen)}
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		acc, taxon, ok := strings.Cut(sc.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: no taxon", line)
		}
		if h.Has(acc) {
			return nil, fmt.Errorf("line %d: %w: %s", line, ErrAccession, acc)
		}
		h.put(Specimen{Accession: acc, Taxon: taxon})
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return h, nil
}

// Has tells whether the accession number is in use.
func (h *Herbarium) Has(acc string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	_, ok := h.specimens[acc]
	return ok
}

func (h *Herbarium) put(s Specimen) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.specimens[s.Accession] = s
}

// Add enters a new specimen.
func (h *Herbarium) Add(s Specimen) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.specimens[s.Accession]; ok {
		return ErrAccession
	}
	h.specimens[s.Accession] = s
	return nil
}

// Redetermine changes the taxon of a specimen.
func (h *Herbarium) Redetermine(acc, taxon string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.specimens[acc]
	if !ok {
		return false
	}
	s.Taxon = taxon
	h.specimens[acc] = s
	return true
}

// OfTaxon counts the specimens of a taxon.
func (h *Herbarium) OfTaxon(taxon string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	n := 0
	for _, s := range h.specimens {
		if s.Taxon == taxon {
			n++
		}
	}
	return n
}
