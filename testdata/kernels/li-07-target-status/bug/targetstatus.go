package promscrape

import (
	"fmt"
	"io"
	"sort"
	"sync"
	"time"
)

var tsmGlobal = newTargetStatusMap()

// WriteHumanReadableTargetsStatus writes human-readable status for all the scrape targets to w.
func WriteHumanReadableTargetsStatus(w io.Writer) {
	tsmGlobal.WriteHumanReadable(w)
}

type targetStatusMap struct {
	mu sync.Mutex
	m  map[string]targetStatus
}

func newTargetStatusMap() *targetStatusMap {
	return &targetStatusMap{
		m: make(map[string]targetStatus),
	}
}

func (tsm *targetStatusMap) Reset() {
	tsm.mu.Lock()
	tsm.m = make(map[string]targetStatus)
	tsm.mu.Unlock()
}

func (tsm *targetStatusMap) RegisterAll(sws []ScrapeWork) {
	tsm.mu.Lock()
	for i := range sws {
		sw := &sws[i]
		tsm.m[sw.ScrapeURL] = targetStatus{
			sw: sw,
		}
	}
	tsm.mu.Unlock()
}

func (tsm *targetStatusMap) UnregisterAll(sws []ScrapeWork) {
	tsm.mu.Lock()
	for i := range sws {
		delete(tsm.m, sws[i].ScrapeURL)
	}
	tsm.mu.Unlock()
}

func (tsm *targetStatusMap) Update(sw *ScrapeWork, up bool, scrapeTime, scrapeDuration int64, err error) {
	tsm.mu.Lock()
	tsm.m[sw.ScrapeURL] = targetStatus{
		sw:             sw,
		up:             up,
		scrapeTime:     scrapeTime,
		scrapeDuration: scrapeDuration,
		err:            err,
	}
	tsm.mu.Unlock()
}

func (tsm *targetStatusMap) WriteHumanReadable(w io.Writer) {
	byJob := make(map[string][]targetStatus)
	tsm.mu.Lock()
	for _, st := range tsm.m {
		byJob[st.sw.Job] = append(byJob[st.sw.Job], st)
	}
	tsm.mu.Unlock()

	var jobs []string
	for job := range byJob {
		jobs = append(jobs, job)
	}
	sort.Strings(jobs)

	for _, job := range jobs {
		sts := byJob[job]
		sort.Slice(sts, func(i, j int) bool {
			return sts[i].sw.ScrapeURL < sts[j].sw.ScrapeURL
		})
		ups := 0
		for _, st := range sts {
			if st.up {
				ups++
			}
		}
		fmt.Fprintf(w, "job=%q (%d/%d up)\n", job, ups, len(sts))
		for _, st := range sts {
			state := "up"
			if !st.up {
				state = "down"
			}
			errMsg := ""
			if st.err != nil {
				errMsg = st.err.Error()
			}
			fmt.Fprintf(w, "\tstate=%s, endpoint=%s, last_scrape=%.3fs ago, scrape_duration=%.3fs, error=%q\n",
				state, st.sw.ScrapeURL, st.getDurationFromLastScrape().Seconds(), float64(st.scrapeDuration)/1000, errMsg)
		}
	}
}

type targetStatus struct {
	sw             *ScrapeWork
	up             bool
	scrapeTime     int64
	scrapeDuration int64
	err            error
}

func (st *targetStatus) getDurationFromLastScrape() time.Duration {
	return time.Since(time.UnixMilli(st.scrapeTime))
}
