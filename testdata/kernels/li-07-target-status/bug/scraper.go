package promscrape

import (
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const fileSDCheckInterval = 30 * time.Second

// Config represents essential parts from Prometheus config.
type Config struct {
	static     []ScrapeWork
	loadFileSD func() ([]ScrapeWork, error)
	newReader  func(sw *ScrapeWork) func(dst []byte) ([]byte, error)
}

// Init initializes Prometheus scraper with config from the -promscrape.config.
//
// Scraped data is passed to pushData.
func Init(loadConfig func() (*Config, error), pushData func(data []byte)) {
	globalStopCh = make(chan struct{})
	scraperWG.Add(1)
	go func() {
		defer scraperWG.Done()
		runScraper(loadConfig, pushData, globalStopCh)
	}()
}

// Stop stops Prometheus scraper.
func Stop() {
	close(globalStopCh)
	scraperWG.Wait()
}

var (
	globalStopCh chan struct{}
	scraperWG    sync.WaitGroup
)

func runScraper(loadConfig func() (*Config, error), pushData func(data []byte), globalStopCh <-chan struct{}) {
	sighupCh := make(chan os.Signal, 1)
	signal.Notify(sighupCh, syscall.SIGHUP)

	cfg, err := loadConfig()
	if err != nil {
		log.Fatalf("cannot read config: %s", err)
	}
	swsFileSD, err := cfg.loadFileSD()
	if err != nil {
		log.Fatalf("cannot parse `file_sd_config`: %s", err)
	}
	tsmGlobal.RegisterAll(cfg.static)
	tsmGlobal.RegisterAll(swsFileSD)

	mustStop := false
	for !mustStop {
		stopCh := make(chan struct{})
		var wg sync.WaitGroup
		wg.Add(1)
		go func(cfg *Config) {
			defer wg.Done()
			runScrapeWorkers(cfg.static, cfg, pushData, stopCh)
		}(cfg)
		wg.Add(1)
		go func(sws []ScrapeWork, cfg *Config) {
			defer wg.Done()
			runFileSDScrapers(sws, cfg, pushData, stopCh)
		}(swsFileSD, cfg)

	waitForChans:
		select {
		case <-sighupCh:
			log.Printf("SIGHUP received; reloading Prometheus configs")
			cfgNew, err := loadConfig()
			if err != nil {
				log.Printf("cannot read config: %s; continuing with the previous config", err)
				goto waitForChans
			}
			swsFileSDNew, err := cfgNew.loadFileSD()
			if err != nil {
				log.Printf("cannot parse `file_sd_config`: %s; continuing with the previous config", err)
				goto waitForChans
			}
			tsmGlobal.UnregisterAll(cfg.static)
			tsmGlobal.UnregisterAll(swsFileSD)
			cfg = cfgNew
			swsFileSD = swsFileSDNew
			tsmGlobal.RegisterAll(cfg.static)
			tsmGlobal.RegisterAll(swsFileSD)
		case <-globalStopCh:
			mustStop = true
		}

		log.Printf("stopping Prometheus scrapers")
		close(stopCh)
		wg.Wait()
	}
}

func runFileSDScrapers(sws []ScrapeWork, cfg *Config, pushData func(data []byte), stopCh <-chan struct{}) {
	ticker := time.NewTicker(fileSDCheckInterval)
	defer ticker.Stop()
	mustStop := false
	for !mustStop {
		localStopCh := make(chan struct{})
		var wg sync.WaitGroup
		wg.Add(1)
		go func(sws []ScrapeWork) {
			defer wg.Done()
			runScrapeWorkers(sws, cfg, pushData, localStopCh)
		}(sws)
	waitForChans:
		select {
		case <-ticker.C:
			swsNew, err := cfg.loadFileSD()
			if err != nil {
				log.Printf("cannot re-read `file_sd_config` targets: %s", err)
				goto waitForChans
			}
			if equalScrapeWorks(swsNew, sws) {
				// Nothing changed, continue waiting for updated scrape work
				goto waitForChans
			}
			log.Printf("restarting scrapers for changed `file_sd_config` targets")
			tsmGlobal.UnregisterAll(sws)
			sws = swsNew
			tsmGlobal.RegisterAll(sws)
		case <-stopCh:
			mustStop = true
		}

		close(localStopCh)
		wg.Wait()
	}
}

func equalScrapeWorks(as, bs []ScrapeWork) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if as[i] != bs[i] {
			return false
		}
	}
	return true
}

// runScrapeWorkers runs sws.
//
// This function returns after closing stopCh.
func runScrapeWorkers(sws []ScrapeWork, cfg *Config, pushData func(data []byte), stopCh <-chan struct{}) {
	var wg sync.WaitGroup
	for i := range sws {
		var sw scrapeWork
		sw.Config = sws[i]
		sw.ReadData = cfg.newReader(&sws[i])
		sw.PushData = pushData
		wg.Add(1)
		go func() {
			defer wg.Done()
			sw.run(stopCh)
		}()
	}
	wg.Wait()
}
