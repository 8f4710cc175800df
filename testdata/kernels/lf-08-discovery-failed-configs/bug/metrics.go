package discovery

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
)

// metric is a float that is read by the metrics handler at any time.
type metric struct {
	valBits uint64
}

func (m *metric) Set(val float64) {
	atomic.StoreUint64(&m.valBits, math.Float64bits(val))
}

func (m *metric) Inc() { m.Add(1) }

func (m *metric) Add(val float64) {
	for {
		oldBits := atomic.LoadUint64(&m.valBits)
		newBits := math.Float64bits(math.Float64frombits(oldBits) + val)
		if atomic.CompareAndSwapUint64(&m.valBits, oldBits, newBits) {
			return
		}
	}
}

func (m *metric) Value() float64 {
	return math.Float64frombits(atomic.LoadUint64(&m.valBits))
}

// metricVec is a metric per label value.
type metricVec struct {
	name, help, typ string

	mtx     sync.Mutex
	metrics map[string]*metric
}

var (
	registryMtx sync.Mutex
	registry    []*metricVec
)

func newGaugeVec(name, help string) *metricVec {
	return register(&metricVec{name: name, help: help, typ: "gauge", metrics: map[string]*metric{}})
}

func newCounterVec(name, help string) *metricVec {
	return register(&metricVec{name: name, help: help, typ: "counter", metrics: map[string]*metric{}})
}

func register(v *metricVec) *metricVec {
	registryMtx.Lock()
	defer registryMtx.Unlock()
	registry = append(registry, v)
	return v
}

// WithLabelValues returns the metric of a label value and creates it if needed.
func (v *metricVec) WithLabelValues(lv string) *metric {
	v.mtx.Lock()
	defer v.mtx.Unlock()
	m, ok := v.metrics[lv]
	if !ok {
		m = &metric{}
		v.metrics[lv] = m
	}
	return m
}

// metricsHandler serves all metrics in the text format.
func metricsHandler(w http.ResponseWriter, _ *http.Request) {
	registryMtx.Lock()
	defer registryMtx.Unlock()
	for _, v := range registry {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", v.name, v.help, v.name, v.typ)
		v.mtx.Lock()
		for lv, m := range v.metrics {
			fmt.Fprintf(w, "%s{name=%q} %g\n", v.name, lv, m.Value())
		}
		v.mtx.Unlock()
	}
}

// serveMetrics lets the monitoring system scrape the metrics.
func serveMetrics(addr string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", metricsHandler)
	return http.ListenAndServe(addr, mux)
}
