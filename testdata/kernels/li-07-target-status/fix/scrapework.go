package promscrape

import (
	"log"
	"math/rand"
	"time"
)

// ScrapeWork represents a unit of work for scraping Prometheus metrics.
type ScrapeWork struct {
	// Full URL (including query args) for the scrape.
	ScrapeURL string

	// Interval for scraping the ScrapeURL.
	ScrapeInterval time.Duration

	// Job the target belongs to.
	Job string
}

type scrapeWork struct {
	// Config for the scrape.
	Config ScrapeWork

	// ReadData is called for reading the data.
	ReadData func(dst []byte) ([]byte, error)

	// PushData is called for pushing collected data.
	PushData func(data []byte)

	bodyBuf []byte
}

func (sw *scrapeWork) run(stopCh <-chan struct{}) {
	// Randomize start time for the first scrape in order to spread load
	// when scraping many targets.
	randSleep := time.Duration(float64(sw.Config.ScrapeInterval) * rand.Float64())
	timer := time.NewTimer(randSleep)
	var ticker *time.Ticker
	select {
	case <-stopCh:
		timer.Stop()
		return
	case t := <-timer.C:
		ticker = time.NewTicker(sw.Config.ScrapeInterval)
		sw.scrapeAndLogError(t.UnixMilli())
	}
	defer ticker.Stop()
	for {
		startTime := time.Now()
		select {
		case <-stopCh:
			return
		case t := <-ticker.C:
			// Adjust t if it is from the past (i.e. stale tick)
			// This can be the case if the previous scrape took longer than the scrape interval.
			if t.Sub(startTime) < 0 {
				t = startTime
			}
			sw.scrapeAndLogError(t.UnixMilli())
		}
	}
}

func (sw *scrapeWork) scrapeAndLogError(timestamp int64) {
	if err := sw.scrapeInternal(timestamp); err != nil {
		log.Printf("error when scraping %q: %s", sw.Config.ScrapeURL, err)
	}
}

func (sw *scrapeWork) scrapeInternal(timestamp int64) error {
	var err error
	sw.bodyBuf, err = sw.ReadData(sw.bodyBuf[:0])
	duration := time.Now().UnixMilli() - timestamp
	if err == nil {
		sw.PushData(sw.bodyBuf)
	}
	tsmGlobal.Update(&sw.Config, err == nil, timestamp, duration, err)
	return err
}
