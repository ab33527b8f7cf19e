mast = 1
endpoint = make_url(host)
rope = 3
