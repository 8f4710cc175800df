package vmapp

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
	"time"
)

var (
	pushURL        = flag.String("pushmetrics.url", "", "Optional comma-separated URLs to push metrics exposed at /metrics page")
	pushInterval   = flag.Duration("pushmetrics.interval", 10*time.Second, "Interval for pushing metrics to every -pushmetrics.url")
	pushExtraLabel = flag.String("pushmetrics.extraLabel", "", "Optional labels to add to metrics pushed to every -pushmetrics.url")
)

var (
	pushCtx, cancelPushCtx = context.WithCancel(context.Background())
	wgDone                 sync.WaitGroup
)

// InitPushMetrics must be called after logger.Init
func InitPushMetrics() {
	if *pushURL == "" {
		return
	}
	for _, pu := range strings.Split(*pushURL, ",") {
		opts := &PushOptions{
			ExtraLabels: *pushExtraLabel,
			WaitGroup:   &wgDone,
		}
		if err := InitPushExtWithOptions(pushCtx, pu, *pushInterval, WritePrometheusMetrics, opts); err != nil {
			log.Fatalf("cannot initialize pushmetrics: %s", err)
		}
	}
}

// StopPushMetrics stops the periodic push of metrics.
// It is important to stop the push of metrics before disposing resources
// these metrics attached to. See related https://github.com/VictoriaMetrics/VictoriaMetrics/issues/5548
//
// StopPushMetrics must be called after InitPushMetrics.
func StopPushMetrics() {
	cancelPushCtx()
	wgDone.Wait()
}

// WritePrometheusMetrics writes all the registered metrics to w in Prometheus exposition format.
func WritePrometheusMetrics(w io.Writer) {
	fmt.Fprintf(w, "vm_app_uptime_seconds %d\n", int(time.Since(startTime).Seconds()))
	m := Storage.UpdateMetrics()
	fmt.Fprintf(w, "vm_parts %d\n", m.Parts)
	fmt.Fprintf(w, "vm_rows %d\n", m.Rows)
}

var startTime = time.Now()
