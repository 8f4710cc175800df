package a

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
)

var ErrHalted = errors.New("rollout: halted")

// Plan is the state of a rollout. Published plans are never modified.
type Plan struct {
	Version string            `json:"version"`
	Wave    int               `json:"wave"`
	Waves   []int             `json:"waves"` // percent of the fleet per wave
	Failed  map[string]string `json:"failed"`
	Halted  bool              `json:"halted"`
}

func (p *Plan) clone() *Plan {
	c := *p
	c.Failed = maps.Clone(p.Failed)
	return &c
}

// Rollout hands out firmware to devices, wave by wave.
type Rollout struct {
	maxFailed int
	plan      atomic.Pointer[Plan]
}

func NewRollout(version string, waves []int, maxFailed int) *Rollout {
	r := &Rollout{maxFailed: maxFailed}
	r.plan.Store(&Plan{
		Version: version,
		Waves:   append([]int(nil), waves...),
		Failed:  map[string]string{},
	})
	return r
}

// Offer returns the firmware version for a device, or "" when the device is
// not part of a wave that has started.
func (r *Rollout) Offer(bucket int) string {
	p := r.plan.Load()
	if p.Halted {
		return ""
	}
	limit := 0
	for i := 0; i <= p.Wave && i < len(p.Waves); i++ {
		limit += p.Waves[i]
	}
	if bucket%100 >= limit {
		return ""
	}
	return p.Version
}

// Failure records that a device did not come back after the update. The
// rollout is halted when too many are lost.
func (r *Rollout) Failure(device, reason string) {
	next := r.plan.Load().clone()
	next.Failed[device] = reason
	if len(next.Failed) > r.maxFailed {
		next.Halted = true
	}
	r.plan.Store(next)
}

// Promote starts the next wave.
func (r *Rollout) Promote() (int, error) {
	next := r.plan.Load().clone()
	if next.Halted {
		return 0, ErrHalted
	}
	if next.Wave+1 >= len(next.Waves) {
		return next.Wave, nil
	}
	next.Wave++
	r.plan.Store(next)
	return next.Wave, nil
}

func (r *Rollout) Status() Plan { return *r.plan.Load() }

func (r *Rollout) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /failure", func(w http.ResponseWriter, req *http.Request) {
		device := req.FormValue("device")
		if device == "" {
			http.Error(w, "device is missing", http.StatusBadRequest)
			return
		}
		r.Failure(device, req.FormValue("reason"))
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /promote", func(w http.ResponseWriter, _ *http.Request) {
		wave, err := r.Promote()
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		fmt.Fprintln(w, wave)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(r.Status())
	})
}
