// Package a places patients in the wards of a hospital.
package a

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrFull = errors.New("hospital: no bed in any suitable ward")

// Ward is a ward with a fixed number of beds.
type Ward struct {
	name string
	beds int

	sync.Mutex
	patients map[string]time.Time // patient to time of admission
	closed   bool
}

// NewWard opens a ward.
func NewWard(name string, beds int) *Ward {
	return &Ward{name: name, beds: beds, patients: make(map[string]time.Time)}
}

// HasRoom reports whether the ward is open and has a free bed.
func (w *Ward) HasRoom() bool {
	w.Lock()
	defer w.Unlock()
	return !w.closed && len(w.patients) < w.beds
}

// Admit gives a patient a bed of the ward.
func (w *Ward) Admit(patient string, at time.Time) {
	w.Lock()
	defer w.Unlock()
	w.patients[patient] = at
}

// Discharge frees the bed of a patient.
func (w *Ward) Discharge(patient string) {
	w.Lock()
	defer w.Unlock()
	delete(w.patients, patient)
}

// Close stops further admissions, for instance for a disinfection.
func (w *Ward) Close() {
	w.Lock()
	defer w.Unlock()
	w.closed = true
}

// String is the line on the overview screen.
func (w *Ward) String() string {
	w.Lock()
	defer w.Unlock()
	return fmt.Sprintf("%s %d/%d", w.name, len(w.patients), w.beds)
}

// Hospital knows which wards suit which specialty. The table is set at
// construction.
type Hospital struct {
	wards map[string][]*Ward
	now   func() time.Time
}

// NewHospital returns a hospital with the given wards per specialty.
func NewHospital(wards map[string][]*Ward) *Hospital {
	return &Hospital{wards: wards, now: time.Now}
}

// Place puts a new patient into the first suitable ward with a free bed and
// returns the name of the ward.
func (h *Hospital) Place(patient, specialty string) (string, error) {
	for _, w := range h.wards[specialty] {
		if !w.HasRoom() {
			continue
		}
		w.Admit(patient, h.now())
		return w.name, nil
	}
	return "", fmt.Errorf("%s: %w", specialty, ErrFull)
}

// Overview lists the wards of a specialty.
func (h *Hospital) Overview(specialty string) []string {
	var lines []string
	for _, w := range h.wards[specialty] {
		lines = append(lines, w.String())
	}
	return lines
}
