// Package a places patients in the wards of a hospital.
package a

import (
	"errors"
	"sync"
)

var (
	ErrFull    = errors.New("hospital: no free bed")
	ErrPatient = errors.New("hospital: patient is not here")
	ErrPlaced  = errors.New("hospital: patient has a bed already")
	ErrWard    = errors.New("hospital: no such ward")
)

// ward has a lock of its own, because the screens in the corridors read the
// occupancy without going through the admissions office.
type ward struct {
	mu       sync.Mutex
	beds     int
	patients map[string]bool
}

func (w *ward) room() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.patients) < w.beds
}

func (w *ward) add(patient string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patients[patient] = true
}

func (w *ward) remove(patient string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.patients, patient)
}

// Hospital has one admissions office, through which every patient comes and
// goes.
type Hospital struct {
	wards map[string]*ward // set at construction

	admissions sync.Mutex // held for every change of a ward
	where      map[string]*ward
}

// NewHospital returns a hospital with the given beds per ward.
func NewHospital(beds map[string]int) *Hospital {
	h := &Hospital{wards: make(map[string]*ward), where: make(map[string]*ward)}
	for name, n := range beds {
		h.wards[name] = &ward{beds: n, patients: make(map[string]bool)}
	}
	return h
}

// Place gives a new patient a bed.
func (h *Hospital) Place(patient, name string) error {
	w := h.wards[name]
	if w == nil {
		return ErrWard
	}
	h.admissions.Lock()
	defer h.admissions.Unlock()
	if h.where[patient] != nil {
		return ErrPlaced
	}
	if !w.room() {
		return ErrFull
	}
	w.add(patient)
	h.where[patient] = w
	return nil
}

// Transfer moves a patient to another ward.
func (h *Hospital) Transfer(patient, name string) error {
	to := h.wards[name]
	if to == nil {
		return ErrWard
	}
	h.admissions.Lock()
	defer h.admissions.Unlock()
	from := h.where[patient]
	if from == nil {
		return ErrPatient
	}
	if from == to {
		return nil
	}
	if !to.room() {
		return ErrFull
	}
	to.add(patient)
	from.remove(patient)
	h.where[patient] = to
	return nil
}

// Discharge frees the bed of a patient.
func (h *Hospital) Discharge(patient string) error {
	h.admissions.Lock()
	defer h.admissions.Unlock()
	w := h.where[patient]
	if w == nil {
		return ErrPatient
	}
	w.remove(patient)
	delete(h.where, patient)
	return nil
}

// Occupancy is shown on the screen of a ward.
func (h *Hospital) Occupancy(name string) (patients, beds int) {
	w := h.wards[name]
	if w == nil {
		return 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.patients), w.beds
}
