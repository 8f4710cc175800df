package a

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

type Record struct {
	Name string `json:"name"`
	Type string `json:"type"`
	TTL  int    `json:"ttl"`
	Data string `json:"data"`
}

type rrKey struct{ name, typ string }

// Transfer is what a secondary gets when it pulls the zone.
type Transfer struct {
	Origin  string   `json:"origin"`
	Serial  uint32   `json:"serial"`
	Records []Record `json:"records"`
}

// Zone is the editable primary copy of a DNS zone.
type Zone struct {
	origin string

	mu      sync.RWMutex
	serial  uint32
	records map[rrKey]Record
}

func NewZone(origin string, serial uint32) *Zone {
	return &Zone{origin: origin, serial: serial, records: make(map[rrKey]Record)}
}

// Put adds or replaces a record and returns the new serial.
func (z *Zone) Put(r Record) (uint32, error) {
	if r.Name == "" || r.TTL < 0 {
		return 0, errors.New("zone: malformed record")
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[rrKey{r.Name, r.Type}] = r
	z.serial++
	return z.serial, nil
}

func (z *Zone) Delete(name, typ string) (uint32, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	k := rrKey{name, typ}
	if _, ok := z.records[k]; !ok {
		return z.serial, false
	}
	delete(z.records, k)
	z.serial++
	return z.serial, true
}

func (z *Zone) Serial() uint32 {
	z.mu.RLock()
	defer z.mu.RUnlock()
	return z.serial
}

func (z *Zone) Records() []Record {
	z.mu.RLock()
	defer z.mu.RUnlock()
	out := make([]Record, 0, len(z.records))
	for _, r := range z.records {
		out = append(out, r)
	}
	return out
}

// Transfer answers a full zone transfer.
func (z *Zone) Transfer() Transfer {
	t := Transfer{Origin: z.origin}
	t.Records = z.Records()
	t.Serial = z.Serial()
	return t
}

func (z *Zone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		_ = json.NewEncoder(w).Encode(z.Transfer())
	case http.MethodPut:
		var rec Record
		if err := json.NewDecoder(r.Body).Decode(&rec); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		serial, err := z.Put(rec)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		_ = json.NewEncoder(w).Encode(serial)
	case http.MethodDelete:
		if _, ok := z.Delete(r.FormValue("name"), r.FormValue("type")); !ok {
			http.NotFound(w, r)
		}
	}
}

// Secondary mirrors a primary zone.
type Secondary struct {
	mu      sync.Mutex
	primary *Zone
	copy    Transfer
}

func NewSecondary(primary *Zone) *Secondary {
	return &Secondary{primary: primary}
}

// Refresh pulls the zone unless the serial is the one we already have.
func (s *Secondary) Refresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copy.Serial == s.primary.Serial() {
		return false
	}
	s.copy = s.primary.Transfer()
	return true
}
